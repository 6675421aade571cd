import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Reporter, TestModule } from "vitest/node";
import type { Figure } from "../kit/figures.ts";
import { type FaultsPage, mergePages, readPage, writePage } from "./faults-page.ts";
import { figuresFile } from "./figures-file.ts";

const page = fileURLToPath(new URL("../../docs/faults.md", import.meta.url));
const packages = fileURLToPath(new URL("../../packages", import.meta.url));

/** Writes `docs/faults.md`: the recorded figures, then every case with its outcome and time. */
export class FaultsReporter implements Reporter {
  readonly #startedMs = Date.now();

  onTestRunEnd(modules: readonly TestModule[]): void {
    const found = this.#pageOf(modules);
    const isWhole = modules.length >= countFaultFiles();
    writeFileSync(page, writePage(isWhole ? found : mergePages(readPage(readFileSync(page, "utf8")), found)));
  }

  #pageOf(modules: readonly TestModule[]): FaultsPage {
    const cases = modules
      .flatMap((module) => [...module.children.allTests()])
      .map((test) => ({
        name: test.name,
        outcome: test.result().state,
        seconds: ((test.diagnostic()?.duration ?? 0) / 1000).toFixed(1),
      }));
    const failed = cases.filter(({ outcome }) => outcome === "failed").length;
    const minutes = ((Date.now() - this.#startedMs) / 60_000).toFixed(1);
    const verdict =
      failed === 0
        ? `all ${cases.length} cases passed or were skipped`
        : `**${failed} of ${cases.length} cases failed**`;
    const where = `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${process.platform}`;
    const files = `${modules.length} ${modules.length === 1 ? "file" : "files"}`;
    return {
      facts: [`${where}, ${files}, ${minutes} minutes: ${verdict}.`],
      figures: recordedFigures(),
      cases,
    };
  }
}

function countFaultFiles(): number {
  return readdirSync(packages, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".fault.test.ts") && !file.includes("node_modules"),
  ).length;
}

function recordedFigures(): Figure[] {
  if (!existsSync(figuresFile)) return [];
  return readFileSync(figuresFile, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Figure)
    .sort((a, b) => (a.what < b.what ? -1 : 1));
}
