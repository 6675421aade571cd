// Runs cases with the Windows build of Node, under Wine or on Windows, and writes their results into docs/platforms.md.
//   npm run test:windows             all cases; writes the page
//   npm run test:windows -- ID …     only these; writes nothing
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { natsServer, startNats } from "../kit/nats-server.ts";
import { installedNode, npmScript } from "../nodes/node-binary.ts";
import { readPlatformsPage, writePlatformsPage } from "../nodes/platforms-page.ts";
import {
  type CaseEvent,
  type CaseResult,
  caseResults,
  isOurs,
  writeWindowsSection,
} from "./windows-section.ts";

const NODE = "20";
const root = fileURLToPath(new URL("../..", import.meta.url));
const cache = join(root, "node_modules/.cache/indus");
const page = join(root, "docs/platforms.md");
const npm = dirname(dirname(realpathSync(npmScript())));
const isWindows = process.platform === "win32";
/** Against a hang only: the longest case takes half a minute, on a busy machine some. */
const CASE_LIMIT_MS = 900_000;

/** Ctrl-C: the case that runs is ended, nothing is written, and what was made is removed. */
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());

const ids = process.argv.slice(2);
const wine = isWindows ? undefined : wineVersion();
if (isWindows || wine !== undefined) process.exitCode = await run();
else {
  process.stderr.write(
    "npm run test:windows needs Wine. On Debian or Ubuntu:\n  sudo apt-get update && sudo apt-get install --no-install-recommends wine wine64\n",
  );
  process.exitCode = 1;
}

async function run(): Promise<number> {
  const scratch = realpathSync.native(tmpdir());
  const work = join(scratch, `indus-windows-${process.pid}`);
  mkdirSync(work);
  const program = join(cache, `windows-cases-${process.pid}.mjs`);
  const prefix = join(work, "prefix");
  try {
    const node = isWindows ? process.execPath : installedNode(NODE, join(cache, "windows"), "win-x64");
    await buildCases(program);
    if (!isWindows) openPrefix(prefix);
    const nats = natsServer === undefined ? undefined : await startNats(join(work, "nats"));
    await using _ = nats;
    const events = await runCases({ node, program, work, prefix, nats: nats?.url });
    if (stop.signal.aborted) return 130;
    const results = caseResults(events);
    for (const result of results) if (result.problem !== undefined) report(result);
    const failed = results.filter(isOurs).length;
    process.stdout.write(
      `${results.length - failed} of ${results.length} cases hold or fail outside of our code\n`,
    );
    const machine = events.find((event) => event.kind === "machine");
    if (ids.length === 0 && machine?.kind === "machine") {
      const date = new Date().toISOString().slice(0, 10);
      const section = writeWindowsSection({ ...machine, wine, date, results });
      writeFileSync(page, writePlatformsPage(readPlatformsPage(readFileSync(page, "utf8")), section));
    }
    return failed === 0 ? 0 : 1;
  } finally {
    if (!isWindows) spawnSync("wineserver", ["-k"], { env: wineEnvironment(prefix) });
    rmSync(program, { force: true });
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  }
}

function wineVersion(): string | undefined {
  const { status, stdout } = spawnSync("wine", ["--version"], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

function wineEnvironment(prefix: string, nats?: string): NodeJS.ProcessEnv {
  const { DISPLAY: _, WAYLAND_DISPLAY: __, ...env } = process.env;
  // No window, no messages of Wine itself, no installation of .NET and a browser.
  return {
    ...env,
    WINEPREFIX: prefix,
    WINEDEBUG: "-all",
    WINEDLLOVERRIDES: "mscoree,mshtml=",
    INDUS_TEST_NPM: windowsPath(npm),
    INDUS_TEST_NATS: nats,
    INDUS_TEST_WINE: isWindows ? undefined : "1",
  };
}

/** Wine shows the disk of the system as drive Z. */
function windowsPath(path: string): string {
  return isWindows ? path : `Z:${path.replaceAll("/", "\\")}`;
}

/**
 * Node refuses to run on the version of Windows that Wine claims to be by default. With 10 it uses a call for connections to
 * localhost that Wine does not have.
 */
function openPrefix(prefix: string): void {
  const version = ["reg", "add", "HKCU\\Software\\Wine", "/v", "Version", "/d", "win81", "/f"];
  execFileSync("wine", version, { env: wineEnvironment(prefix), stdio: "ignore" });
  // It stays between the cases, so that none starts while it is ending.
  spawnSync("wineserver", ["-p"], { env: wineEnvironment(prefix), stdio: "ignore" });
}

async function buildCases(program: string): Promise<void> {
  mkdirSync(cache, { recursive: true });
  await build({
    entryPoints: [join(root, "test/windows/cases.ts")],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    sourcemap: "inline",
  });
}

interface Running {
  readonly node: string;
  readonly program: string;
  readonly work: string;
  readonly prefix: string;
  /** The address of a server of NATS, if one is here. */
  readonly nats: string | undefined;
}

/** A process for each case: one that hangs or dies takes no other with it. */
async function runCases(running: Running): Promise<CaseEvent[]> {
  const listed = await runProgram(running, []);
  if (listed.length === 0 && !stop.signal.aborted)
    throw new Error(`the cases did not start: ${readFileSync(join(running.work, "output"), "utf8")}`);
  const planned = listed.filter((event) => event.kind === "planned" && isAsked(event.id));
  const events: CaseEvent[] = [];
  for (const event of planned) {
    if (event.kind !== "planned" || stop.signal.aborted) continue;
    const startMs = performance.now();
    events.push(event, ...(await runProgram(running, [event.id])));
    const [result] = caseResults(events).slice(-1);
    const word = result === undefined ? "FAILED" : wordFor(result);
    process.stdout.write(`${word}  ${event.id} (${Math.round((performance.now() - startMs) / 1000)} s)\n`);
  }
  return events;
}

function wordFor(result: CaseResult): string {
  if (result.absent !== undefined) return "not run";
  return result.problem === undefined ? "passed" : isOurs(result) ? "FAILED" : "fails elsewhere";
}

function isAsked(id: string): boolean {
  return ids.length === 0 || ids.includes(id);
}

async function runProgram(running: Running, cases: readonly string[]): Promise<CaseEvent[]> {
  const events = await runOnce(running, cases);
  // Nothing has run: on a very busy machine Wine was seen to end before the program began.
  return events.length > 0 || stop.signal.aborted ? events : runOnce(running, cases);
}

async function runOnce(
  { node, program, work, prefix, nats }: Running,
  cases: readonly string[],
): Promise<CaseEvent[]> {
  const results = join(work, "results");
  rmSync(results, { force: true });
  const args = [program, root, join(work, "cases"), results].map(windowsPath);
  const [command = node, ...first] = isWindows ? [node] : ["wine", node];
  // Node under Wine cannot use a pipe of Linux as its standard streams; a file it can.
  const output = openSync(join(work, "output"), "w");
  const child = spawn(command, [...first, ...args, ...cases], {
    cwd: work,
    env: wineEnvironment(prefix, nats),
    stdio: ["ignore", output, output],
    timeout: CASE_LIMIT_MS,
    killSignal: "SIGKILL",
    signal: stop.signal,
  });
  await new Promise((resolve) => child.once("exit", resolve).once("error", resolve));
  closeSync(output);
  if (!existsSync(results)) return [];
  const lines = readFileSync(results, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as CaseEvent);
}

function report({ id, problem, cause }: CaseResult): void {
  process.stdout.write(`${id}: ${problem}\n${cause === undefined ? "" : `  on Node alone: ${cause}\n`}`);
}
