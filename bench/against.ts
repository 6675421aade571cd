// Compares calls with those of another commit, alternated in one run:
//   npm run bench:against -- COMMIT
// The figures are ratios to programs written by hand, as in the cases `lane-…`, and of the two builds to each other.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildSides, OUR_CLIENT, sidesOf } from "./lane/cases.ts";
import { clientCalls, clientMedianCall, httpGatewayCalls, stdioGatewayCalls } from "./lane/comparisons.ts";
import type { Figure } from "./measure.ts";
import type { Revision } from "./serve/http-caller.ts";

// It makes every start of Node slower.
delete process.env["NODE_EXTRA_CA_CERTS"];

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const REVISIONS: readonly Revision[] = ["2025-06-18", "2025-11-25", "2026-07-28"];
const inFolder = (cwd: string, command: string, ...args: readonly string[]): void =>
  void execFileSync(command, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });

const [commit, ...rest] = process.argv.slice(2);
if (commit === undefined || rest.length > 0) {
  process.stderr.write("bench:against: name one commit, e.g. npm run bench:against -- HEAD~1\n");
  process.exit(2);
}
const scratch = mkdtempSync(join(tmpdir(), "indus-against-"));
try {
  const [now, then] = [sidesOf(ROOT), built(commit, join(scratch, "build"))];
  console.log(`| work | now | ${commit} | now / ${commit} |\n|---|---|---|---|`);
  for (const [work, measure] of works([now, then])) {
    const [ours, theirs] = await measure();
    const ratio = (ours?.median ?? Number.NaN) / (theirs?.median ?? Number.NaN);
    console.log(`| ${[work, shown(ours), shown(theirs), ratio.toFixed(2)].join(" | ")} |`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
  inFolder(ROOT, "git", "worktree", "prune");
}

/** Checks the commit out, installs and builds it. */
function built(revision: string, folder: string): BuildSides {
  inFolder(ROOT, "git", "worktree", "add", "--detach", folder, revision);
  inFolder(folder, process.platform === "win32" ? "npm.cmd" : "npm", "ci");
  const sides = sidesOf(folder);
  // An older commit has no such client.
  mkdirSync(dirname(sides.client.client), { recursive: true });
  cpSync(OUR_CLIENT.client, sides.client.client);
  return sides;
}

type Work = readonly [name: string, measure: () => Promise<readonly Figure[]>];

function works(builds: readonly BuildSides[]): readonly Work[] {
  const clients = builds.map(({ client }) => client);
  const https = builds.map(({ http }) => http);
  const stdios = builds.map(({ stdio }) => stdio);
  return [
    ["calls one after another", () => clientCalls(clients, 1)],
    ["the same, median call", () => clientMedianCall(clients)],
    ["64 in flight", () => clientCalls(clients, 64)],
    ...REVISIONS.flatMap((revision): Work[] => [
      [`gateway, HTTP ${revision}, median call`, () => httpGatewayCalls(https, revision, 1)],
      [`gateway, HTTP ${revision}, 64 in flight`, () => httpGatewayCalls(https, revision, 64)],
    ]),
    ["gateway, stdio, one after another", () => stdioGatewayCalls(stdios, 1)],
    ["gateway, stdio, 64 in flight", () => stdioGatewayCalls(stdios, 64)],
  ];
}

function shown(figure: Figure | undefined): string {
  return figure ? `${figure.median.toFixed(2)} (${figure.lower.toFixed(2)}–${figure.upper.toFixed(2)})` : "–";
}
