import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Figure } from "../kit/figures.ts";

const report = fileURLToPath(new URL("../../docs/faults.md", import.meta.url));

const INTRO = `# Faults: what the long run found

Written by \`npm run faults\`: the fault cases of \`npm test\` at full count. Every row is a case that passed;
a case that fails fails the run, and the page then says so.
`;

/** Before the run: a place for figures. After it: the page. */
export default function setup(): () => void {
  const file = join(mkdtempSync(join(tmpdir(), "indus-figures-")), "figures.jsonl");
  writeFileSync(file, "");
  process.env["INDUS_FIGURES"] = file;
  const startedMs = Date.now();
  return () => {
    const figures = readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Figure)
      .sort((a, b) => (a.what < b.what ? -1 : 1));
    const minutes = ((Date.now() - startedMs) / 60_000).toFixed(1);
    const verdict = process.exitCode ? "**Some cases failed.**" : "All cases passed.";
    const facts = `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${process.platform}: ${minutes} minutes. ${verdict}`;
    const rows = figures.map(({ what, size, found }) => `| ${what} | ${size} | ${found} |`);
    writeFileSync(
      report,
      [INTRO, facts, "", "| case | size | found |", "|---|---|---|", ...rows, ""].join("\n"),
    );
  };
}
