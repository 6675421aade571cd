/** The result of the whole test suite on one Node version and one platform. */
export interface PlatformRun {
  /** The exact version, e.g. `24.21.0`. */
  readonly node: string;
  readonly platform: string;
  readonly date: string;
  readonly files: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** `passed`, or what went wrong, e.g. `FAILED (exit code 1)`. */
  readonly result: string;
  /** Whether the packed packages could be installed and used: `works`, what went wrong, or `not tried`. */
  readonly install: string;
  /** The names of the tests that failed. */
  readonly failures: readonly string[];
}

/** The platforms we write code for. */
const PLATFORMS = { linux: "Linux", darwin: "macOS", win32: "Windows" } as const;

/** The install of a run of only some parts. */
export const NOT_TRIED = "not tried";

const HEAD = "| Node | platform | date | files | passed | failed | skipped | result | install |";
/** The rest of the page from here on is not about these runs. */
export const WINDOWS_HEADING = "## Windows";
const FAILURES = "## Failed tests";

/** A page with the new runs in it. A run replaces the one of the same major version on the same platform. */
export function mergeRuns(page: readonly PlatformRun[], runs: readonly PlatformRun[]): PlatformRun[] {
  const keyOf = (run: PlatformRun): string => `${run.platform} ${run.node.split(".")[0]?.padStart(3)}`;
  const byKey = new Map([...page, ...runs].map((run) => [keyOf(run), run]));
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, run]) => run);
}

/** `windows` is the part that `npm run test:windows` wrote. */
export function writePlatformsPage(runs: readonly PlatformRun[], windows?: string): string {
  const failed = runs.filter(({ failures }) => failures.length > 0);
  return [
    "# Platforms",
    "",
    "Written by `npm run test:nodes`, which runs the whole test suite on Node 20, 22 and 24. Each row is the last such run",
    "of a major version on a platform. A skipped test is one for behaviour that the platform does not have. *Install* takes",
    "the two lines of the README: both packages are packed, installed globally into an empty prefix, and used with an empty",
    "home: `indus --version`, `indus tools`, `indus mcp list` and `indus mcp call` with a server; a program that imports",
    "`indusagi/interop` from the same files mounts that server. The part on Windows is written by `npm run test:windows`.",
    "",
    HEAD,
    "|---|---|---|---|---|---|---|---|---|",
    ...runs.map(
      (run) =>
        `| ${run.node} | ${run.platform} | ${run.date} | ${run.files} | ${run.passed} | ${run.failed} | ${run.skipped} | ${run.result} | ${run.install} |`,
    ),
    "",
    ...neverRun(runs),
    ...(failed.length > 0 ? [FAILURES, ""] : []),
    ...failed.flatMap(({ node, platform, failures }) => [
      `Node ${node}, ${platform}:`,
      "",
      ...failures.map((name) => `- ${name}`),
      "",
    ]),
    ...(windows === undefined ? [] : [windows]),
  ].join("\n");
}

/** The part of the page about Windows, to be written again as it is. */
export function windowsSectionOf(text: string): string | undefined {
  const start = text.indexOf(`\n${WINDOWS_HEADING}\n`);
  return start === -1 ? undefined : text.slice(start + 1);
}

/** Reads what `writePlatformsPage` wrote. */
export function readPlatformsPage(text: string): PlatformRun[] {
  const [table = "", failures = ""] = text.split(`${FAILURES}\n`);
  return table
    .split("\n")
    .filter((line) => /^\| \d/.test(line))
    .map((line) => {
      const [node = "", platform = "", date = "", ...rest] = line.slice(2, -2).split(" | ");
      const [files = 0, passed = 0, failed = 0, skipped = 0] = rest.slice(0, 4).map(Number);
      const counts = { files, passed, failed, skipped };
      const [result = "", install = NOT_TRIED] = rest.slice(4);
      const names = failuresOf(failures, node, platform);
      return { node, platform, date, ...counts, result, install, failures: names };
    });
}

function failuresOf(text: string, node: string, platform: string): string[] {
  const lines = text.split("\n");
  const start = lines.indexOf(`Node ${node}, ${platform}:`);
  if (start === -1) return [];
  const list = lines.slice(start + 2);
  const end = list.findIndex((line) => !line.startsWith("- "));
  return list.slice(0, end === -1 ? undefined : end).map((line) => line.slice(2));
}

function neverRun(runs: readonly PlatformRun[]): string[] {
  const missing = Object.entries(PLATFORMS)
    .filter(([platform]) => !runs.some((run) => run.platform === platform))
    .map(([, name]) => name);
  if (missing.length === 0) return [];
  return [
    `**Never run by this command: ${missing.join(", ")}.** The code has branches for each of them; this table does not`,
    "show that they work.",
    "",
  ];
}
