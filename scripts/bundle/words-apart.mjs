import { readFileSync } from "node:fs";

const WORDS = "?words";
const COMMANDS = /\/src\/commands\/[^?]*\.ts$/;

/**
 * A command is one file: its words, and what it does. Every start needs the words of all commands, so the table of commands gets
 * a copy of each file, of which only the words are left because nothing else of it is used. Its dynamic imports get the file
 * itself, of which the words are left out in the same way.
 */
export const wordsApart = {
  name: "words-apart",
  // What is resolved here does not reach `resolveId`.
  resolveDynamicImport(source, importer) {
    return needsWords(importer) ? this.resolve(source, importer, { skipSelf: true }) : null;
  },
  async resolveId(source, importer = "") {
    if (!needsWords(importer)) return null;
    const found = await this.resolve(source, importer, { skipSelf: true });
    return found && COMMANDS.test(slashed(found.id)) ? { ...found, id: `${found.id}${WORDS}` } : found;
  },
  load(id) {
    return id.endsWith(WORDS) ? readFileSync(id.slice(0, -WORDS.length), "utf8") : null;
  },
};

/** The table, and what the copies import: the words of one command may use those of another. */
function needsWords(importer) {
  return importer.endsWith(WORDS) || slashed(importer).endsWith("/src/commands/command-table.ts");
}

function slashed(path) {
  return path.replaceAll("\\", "/");
}
