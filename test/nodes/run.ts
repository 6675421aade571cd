// Runs the test suite on Node 20, 22 and 24 and writes docs/platforms.md.
//   npm run test:nodes                              the whole suite on each version; writes the page
//   npm run test:nodes -- packages/indusagi/test/core   only these files; writes nothing
//   npm run test:nodes -- --node=24 [FILTER …]      only this version
//   npm run test:nodes -- --install                 only the install of the packed packages; updates the page
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installResult } from "./installed.ts";
import { nodeBinary, npmScript } from "./node-binary.ts";
import {
  mergeRuns,
  NOT_TRIED,
  type PlatformRun,
  readPlatformsPage,
  windowsSectionOf,
  writePlatformsPage,
} from "./platforms-page.ts";

const VERSIONS = ["20", "22", "24"];
const root = fileURLToPath(new URL("../..", import.meta.url));
const scratch = join(root, "node_modules/.cache/indus/nodes");
const page = join(root, "docs/platforms.md");

/** As much of vitest's JSON report as is used here. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

const args = process.argv.slice(2);
const filters = args.filter((arg) => !arg.startsWith("--"));
const chosen = args.filter((arg) => arg.startsWith("--node=")).map((arg) => arg.slice("--node=".length));
const versions = (chosen.length > 0 ? chosen : VERSIONS).map((major) => nodeBinary(major, scratch));
const text = existsSync(page) ? readFileSync(page, "utf8") : "";
const before = readPlatformsPage(text);

let isInstallBroken = false;
const runs = args.includes("--install") ? versions.flatMap(installAgain) : versions.map(runSuite);
for (const run of runs) {
  const counts = `${run.files} files, ${run.passed} passed, ${run.failed} failed, ${run.skipped} skipped`;
  process.stdout.write(
    `Node ${run.node}, ${run.platform}: ${counts}: ${run.result}; install: ${run.install}\n`,
  );
  for (const name of run.failures) process.stdout.write(`  ${name}\n`);
}
if (filters.length === 0)
  writeFileSync(page, writePlatformsPage(mergeRuns(before, runs), windowsSectionOf(text)));
const isGood = ({ result, install }: PlatformRun): boolean =>
  result === "passed" && (install === "works" || install === NOT_TRIED);
process.exitCode = runs.every(isGood) && !isInstallBroken ? 0 : 1;

/** The last run of a version, with a new install. Without one there is no row to put it into. */
function installAgain(node: string): PlatformRun[] {
  const install = installOn(node);
  const major = versionOf(node).split(".")[0];
  process.stdout.write(`Node ${versionOf(node)}: install ${install}\n`);
  if (install !== "works") isInstallBroken = true;
  const isSame = (run: PlatformRun): boolean =>
    run.platform === process.platform && run.node.split(".")[0] === major;
  return before.filter(isSame).map((run) => ({ ...run, install }));
}

function installOn(node: string): string {
  return installResult({
    root,
    node,
    npm: npmScript(),
    scratch: join(tmpdir(), `indus-install-${process.pid}`),
  });
}

function versionOf(node: string): string {
  return execFileSync(node, ["--version"], { encoding: "utf8" }).trim().slice(1);
}

function runSuite(node: string): PlatformRun {
  const summary = join(scratch, `summary-${process.pid}.json`);
  mkdirSync(scratch, { recursive: true });
  const { status, signal } = spawnSync(node, ["node_modules/vitest/vitest.mjs", "run", ...filters], {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      // A test that starts plain `node` gets the same version.
      PATH: `${dirname(node)}${delimiter}${process.env["PATH"] ?? ""}`,
      INDUS_TEST_SUMMARY: summary,
    },
  });
  const report = JSON.parse(readFileSync(summary, "utf8")) as Report;
  rmSync(summary);
  return {
    node: versionOf(node),
    platform: process.platform,
    date: new Date().toISOString().slice(0, 10),
    files: report.testResults.length,
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests,
    result: status === 0 ? "passed" : `FAILED (${signal ?? `exit code ${status}`})`,
    install: filters.length === 0 ? installOn(node) : NOT_TRIED,
    failures: failuresOf(report),
  };
}

/** The tests that failed, and the files that failed to load. */
function failuresOf({ testResults }: Report): string[] {
  return testResults
    .filter(({ status }) => status === "failed")
    .flatMap(({ name, assertionResults }) => {
      const failed = assertionResults.filter(({ status }) => status === "failed");
      return failed.length > 0 ? failed.map(({ fullName }) => fullName.trim()) : [`${name} did not load`];
    })
    .map((name) => name.replaceAll(root, "").replaceAll(/\s+/g, " "));
}
