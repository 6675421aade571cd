import { readFileSync } from "node:fs";
import { join } from "node:path";
import { transform } from "esbuild";

export const typescript = {
  name: "typescript",
  async transform(code, id) {
    if (!/\.ts(\?\w+)?$/.test(id)) return undefined;
    return await transform(code, { loader: "ts", target: "node20", sourcefile: id, sourcemap: "external" });
  },
};

/** No module of ours does anything when it is loaded, so an import that is used for nothing is left out of a chunk. */
export const treeshake = { moduleSideEffects: false };

export function onwarn(warning) {
  throw new Error(warning.message);
}

/** The files of a rollup output as names below a folder and their texts. */
export function textsOf(output, folder = "") {
  return output.map((file) => ({ name: `${folder}${file.fileName}`, text: file.code ?? file.source }));
}

/** All modules that the entries import statically, directly or through others. */
export function loadedAtOnce(entries, getModuleInfo) {
  const found = new Set(entries);
  for (const id of found) for (const next of getModuleInfo(id)?.importedIds ?? []) found.add(next);
  return found;
}

/** The sources of a package's public entries, as its manifest names them. */
export function entriesOf(folder) {
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const sources = Object.values(exports).flatMap((entry) => entry["@indus/source"] ?? []);
  return sources.map((source) => join(folder, source));
}

/**
 * Escapes every character beyond ASCII. They are in strings, templates and regular expressions, where the escape means the same. With
 * a single one V8 keeps two bytes for each character of a chunk, for as long as the process runs.
 */
export const asciiOnly = {
  name: "ascii-only",
  renderChunk(code, { fileName }) {
    if (/String\.raw`[^`]*[^`\x00-\x7f]/.test(code))
      throw new Error(`${fileName}: String.raw with a character beyond ASCII, which cannot be escaped there`);
    const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
    return { code: code.replaceAll(/[^\x00-\x7f]/g, escaped), map: null };
  },
};
