// Tries the public servers of servers.json with the official client and with Indus, and writes docs/fleet.md.
//   npm run fleet                          everything; the servers are installed into a scratch folder the first time
//   npm run fleet -- --only everything,git only these servers; prints the result and writes nothing
import { createHash, randomUUID } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compareServers } from "./compare/observe-all.ts";
import { hasDifference } from "./compare/report.ts";
import { measureFleet } from "./figures/measure-fleet.ts";
import { installServers, isInstalled } from "./install.ts";
import { keptResults } from "./kept-results.ts";
import { type FleetOptions, isWholeRun, parseFleetOptions, USAGE } from "./options.ts";
import { fleetPage } from "./page.ts";
import { endMarked } from "./processes.ts";
import { openScratch } from "./scratch.ts";
import { chooseServers, parseFleetList } from "./server-list.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const indus = here("../packages/induscode/bin/indus.js");
const build = hashOf(["indusagi", "induscode"].map((name) => here(`../packages/${name}/dist`)));
const print = (line: string): void => void process.stderr.write(`${line}\n`);

process.exitCode = await main();
// A connection that does not close must not keep the script alive.
process.exit();

async function main(): Promise<number> {
  let options: FleetOptions;
  try {
    options = parseFleetOptions(process.argv.slice(2));
  } catch (thrown) {
    print(`fleet: ${messageOf(thrown)}\n\n${USAGE}`);
    return 2;
  }
  try {
    return await run(options);
  } catch (thrown) {
    print(`fleet: ${messageOf(thrown)}`);
    return 1;
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Of the content of all scripts below these folders. */
function hashOf(folders: readonly string[]): string {
  const hash = createHash("sha256");
  for (const folder of folders)
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort())
      if (/\.c?js$/.test(name)) hash.update(readFileSync(join(folder, name)));
  return hash.digest("hex");
}

/** The official client ends its servers only when it is closed, and npm must not go on installing. */
function endOnSignal(clean: () => void): void {
  for (const [signal, code] of [["SIGINT", 130] as const, ["SIGTERM", 143] as const])
    process.once(signal, () => {
      clean();
      process.exit(code);
    });
}

async function run(options: FleetOptions): Promise<number> {
  // Other programs make every figure worse; the page says how busy the machine was before.
  const load = (loadavg()[0] ?? 0).toFixed(1);
  const list = parseFleetList(readFileSync(here("servers.json"), "utf8"));
  const chosen = chooseServers(list.servers, options.only);
  const scratch = openScratch(options.cache);
  const mark = randomUUID();
  const interrupted = new AbortController();
  endOnSignal(() => {
    interrupted.abort();
    endMarked(mark);
  });
  const failures = options.skipInstall
    ? new Map<string, string>()
    : await installServers(chosen, { scratch, print, signal: interrupted.signal });
  const servers = chosen.filter((server) => isInstalled(server, scratch));
  for (const { name } of chosen.filter((server) => !servers.includes(server)))
    print(`not installed: ${name} ${failures.get(name) ?? "(--skip-install)"}`);
  if (servers.length === 0) throw new Error("no server is installed");

  const kept = keptResults(scratch.at("results"), options);
  const common = { scratch, kept, mark, indus, build, print, probe: here("figures/probe.mjs") };
  const reports = options.compares ? await compareServers(servers, common) : [];
  const figures = options.measures ? await measureFleet(servers, reports, { ...common, ...options }) : [];
  const where = `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${process.platform}, ${availableParallelism()} cores, load ${load}`;
  const page = fleetPage({ where, servers: reports, figures, leftOut: list.leftOut });
  if (isWholeRun(options) && servers.length === chosen.length) writeFileSync(here("../docs/fleet.md"), page);
  else process.stdout.write(page);
  const isGood = !reports.some(hasDifference) && !figures.some(({ isMet }) => isMet === false);
  return isGood && servers.length === chosen.length ? 0 : 1;
}
