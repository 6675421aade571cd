import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Reporter, TestModule } from "vitest/node";
import type { Figure } from "../kit/figures.ts";
import { figuresFile } from "./figures-file.ts";

const page = fileURLToPath(new URL("../../docs/faults.md", import.meta.url));

const INTRO = `# Faults: what the long run found

Written by \`npm run faults\`: the fault cases of \`npm test\` at full count, one file at a time.
`;

/** Writes the page: the figures that cases put on record, then every case with its outcome and its time. */
export class FaultsReporter implements Reporter {
  readonly #startedMs = Date.now();

  onTestRunEnd(modules: readonly TestModule[]): void {
    const cases = modules.flatMap((module) => [...module.children.allTests()]);
    const failed = cases.filter((test) => test.result().state === "failed").length;
    const minutes = ((Date.now() - this.#startedMs) / 60_000).toFixed(1);
    const verdict =
      failed === 0
        ? `all ${cases.length} cases passed or do not apply here`
        : `**${failed} of ${cases.length} cases failed**`;
    const facts = `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${process.platform}, ${minutes} minutes: ${verdict}.`;
    const figures = recordedFigures().map(({ what, size, found }) => `| ${what} | ${size} | ${found} |`);
    const rows = cases.map((test) => {
      const seconds = ((test.diagnostic()?.duration ?? 0) / 1000).toFixed(1);
      return `| ${test.name.replaceAll("|", "\\|")} | ${test.result().state} | ${seconds} |`;
    });
    const table = ["| case | outcome | seconds |", "|---|---|---|", ...rows, ""];
    writeFileSync(
      page,
      [
        INTRO,
        facts,
        "",
        "## Figures",
        "",
        "| what | how much | found |",
        "|---|---|---|",
        ...figures,
        "",
        "## Cases",
        "",
        ...table,
      ].join("\n"),
    );
  }
}

function recordedFigures(): Figure[] {
  if (!existsSync(figuresFile)) return [];
  return readFileSync(figuresFile, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Figure)
    .sort((a, b) => (a.what < b.what ? -1 : 1));
}
