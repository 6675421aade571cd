import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { readDocument } from "./kit/documents.ts";
import { installLines } from "./nodes/installed.ts";
import {
  mergeRuns,
  type PlatformRun,
  readPlatformsPage,
  windowsSectionOf,
  writePlatformsPage,
} from "./nodes/platforms-page.ts";
import { type CaseEvent, caseResults, isOurs, writeWindowsSection } from "./windows/windows-section.ts";

const linux20: PlatformRun = {
  node: "20.20.2",
  platform: "linux",
  date: "2026-11-15",
  files: 199,
  passed: 1378,
  failed: 0,
  skipped: 2,
  result: "passed",
  install: "works",
  failures: [],
};
const linux24: PlatformRun = {
  ...linux20,
  node: "24.21.0",
  failed: 2,
  result: "FAILED (exit code 1)",
  failures: ["[a:b] one holds", "[a:c] another | holds"],
};

verifies("house:node-versions", "a page reads back as it was written", () => {
  const runs = [linux20, linux24];
  expect(readPlatformsPage(writePlatformsPage(runs))).toEqual(runs);
  expect(readPlatformsPage(writePlatformsPage([]))).toEqual([]);
  // A page from before installs were tried.
  const old = writePlatformsPage([linux20]).replace(" | works |", " |");
  expect(readPlatformsPage(old)).toEqual([{ ...linux20, install: "not tried" }]);
});

verifies("house:node-versions", "the page shows failures and names the platforms that were never run", () => {
  const page = writePlatformsPage([linux20, linux24]);
  expect(page).toContain(
    "| 24.21.0 | linux | 2026-11-15 | 199 | 1378 | 2 | 2 | FAILED (exit code 1) | works |",
  );
  expect(page).toContain("- [a:b] one holds");
  expect(page).toContain("**Never run by this command: macOS, Windows.**");
  expect(writePlatformsPage([linux20, { ...linux20, platform: "win32" }])).toContain(
    "**Never run by this command: macOS.**",
  );
});

verifies("house:node-versions", "a new run replaces that of the same major version and platform only", () => {
  const again = { ...linux24, node: "24.22.0" };
  const mac24 = { ...linux24, platform: "darwin" };
  expect(mergeRuns([linux20, linux24], [again, mac24])).toEqual([mac24, linux20, again]);
});

verifies("house:install", "the second line installs exactly what the first one packs", () => {
  const { pack, archives } = installLines(readDocument("README.md"));
  const { scripts, workspaces } = JSON.parse(readDocument("package.json")) as {
    readonly scripts: { readonly [name: string]: string };
    readonly workspaces: readonly string[];
  };
  expect(pack).toBe("npm ci && npm run pack");
  expect(scripts["pack"]).toBe("npm run --silent build && npm pack --workspaces");
  const packed = workspaces.map((folder) => {
    const { name, version } = JSON.parse(readDocument(`${folder}/package.json`)) as {
      readonly [member: string]: string;
    };
    return `./${name}-${version}.tgz`;
  });
  expect(archives).toEqual(packed);
});

verifies("house:install", "a README without the lines is an error that names them", () => {
  const block = (...lines: readonly string[]): string => ["```sh", ...lines, "```"].join("\n");
  for (const readme of ["", block("npm run pack"), block("npm run pack", "npm install ./a.tgz")])
    expect(() => installLines(readme)).toThrow(/npm run pack.*npm install --global/);
  const both = block("npm ci && npm run pack", "npm install --global ./a.tgz ./b.tgz # both");
  expect(installLines(both).archives).toEqual(["./a.tgz", "./b.tgz"]);
});

const events: readonly CaseEvent[] = [
  { kind: "machine", node: "20.20.2", system: "Windows 6.3" },
  { kind: "planned", id: "good", title: "this holds" },
  { kind: "planned", id: "theirs", title: "this | that" },
  { kind: "planned", id: "ours", title: "we are wrong" },
  { kind: "planned", id: "dead", title: "it never ends" },
  { kind: "begun", id: "good" },
  { kind: "ended", id: "good" },
  { kind: "ended", id: "theirs", problem: "it fails", cause: "it has no links" },
  { kind: "ended", id: "ours", problem: "it fails | badly" },
  { kind: "begun", id: "dead" },
];
const notRun: readonly CaseEvent[] = [
  { kind: "planned", id: "no", title: "it needs more" },
  { kind: "ended", id: "no", absent: "there is no `nats-server` here" },
];

verifies("tree:windows-run", "a case that fails is ours, unless a program on Node alone fails too", () => {
  const results = caseResults(events);
  expect(results.map(({ id }) => id)).toEqual(["good", "theirs", "ours", "dead"]);
  expect(results.filter(isOurs).map(({ id }) => id)).toEqual(["ours", "dead"]);
});

verifies("tree:windows-run", "the page says what ran where and when, and never that Wine is Windows", () => {
  const run = { node: "20.20.2", system: "Windows 6.3", date: "2026-11-18", results: caseResults(events) };
  const wine = writeWindowsSection({ ...run, wine: "wine-8.0" });
  expect(wine).toContain(
    "Last run: 2026-11-18, Node 20.20.2 under Wine (wine-8.0, which calls itself Windows 6.3). 1 of 4 cases passed, 1 failed because of Wine.",
  );
  expect(wine).toContain("| good | this holds | passed under Wine |");
  expect(wine).toContain(
    "| theirs | this \\| that | fails because of Wine, as a program on Node alone shows: it has no links |",
  );
  expect(wine).toContain("| ours | we are wrong | **FAILED**: it fails \\| badly |");
  const windows = writeWindowsSection(run);
  expect(windows).toContain(
    "Last run: 2026-11-18, Node 20.20.2 on Windows 6.3. 1 of 4 cases passed, 1 failed because of the system.",
  );
  expect(windows).not.toContain("Wine");
});

verifies(
  "tree:windows-run",
  "a case that cannot run here is neither passed nor ours, and named with the reason",
  () => {
    const results = caseResults(notRun);
    expect(results.some(isOurs)).toBe(false);
    const page = writeWindowsSection({ node: "20.20.2", system: "Windows 6.3", date: "2026-11-18", results });
    expect(page).toContain("0 of 1 cases passed, 1 not run.");
    expect(page).toContain("| no | it needs more | not run: there is no `nats-server` here |");
  },
);

verifies("tree:windows-run", "each of the two commands keeps what the other wrote on the page", () => {
  const section = writeWindowsSection({
    node: "20.20.2",
    system: "Windows 6.3",
    wine: "wine-8.0",
    date: "2026-11-18",
    results: caseResults(events),
  });
  const page = writePlatformsPage([linux20, linux24], section);
  expect(windowsSectionOf(page)).toBe(section);
  expect(readPlatformsPage(page)).toEqual([linux20, linux24]);
  expect(windowsSectionOf(writePlatformsPage([linux20]))).toBeUndefined();
});
