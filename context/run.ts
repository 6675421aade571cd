// Measures what lists of tools cost and what a search finds, on the tools of the fleet, and what twelve workflows take as single calls and
// as programs, and writes docs/context.md.
//   npm run context                   uses what `npm run fleet` has installed; installs and lists the other servers once
//   npm run context -- --cache DIR    the folder of `npm run fleet -- --cache DIR`
import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { installServers, isInstalled } from "../fleet/install.ts";
import { endMarked } from "../fleet/processes.ts";
import { openScratch } from "../fleet/scratch.ts";
import { parseFleetList } from "../fleet/server-list.ts";
import { toolsOf } from "./definitions.ts";
import { measureContext } from "./measure.ts";
import { measureWorkflows } from "./measure-workflows.ts";
import { contextPage, targetsOf } from "./page.ts";
import { parseTasks, type TaskSet } from "./tasks.ts";
import { SQLITE, WORKFLOW_SERVERS } from "./workflows.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const print = (line: string): void => void process.stderr.write(`${line}\n`);

process.exitCode = await main();
// A connection that does not close must not keep the script alive.
process.exit();

async function main(): Promise<number> {
  try {
    const { values } = parseArgs({ options: { cache: { type: "string" } } });
    return await run(resolve(values.cache ?? join(tmpdir(), "indus-fleet")));
  } catch (thrown) {
    print(`context: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    return 1;
  }
}

async function run(cache: string): Promise<number> {
  const { servers } = parseFleetList(readFileSync(here("../fleet/servers.json"), "utf8"));
  const scratch = openScratch(cache);
  const mark = randomUUID();
  const interrupted = new AbortController();
  for (const [signal, code] of [["SIGINT", 130] as const, ["SIGTERM", 143] as const])
    process.once(signal, () => {
      interrupted.abort();
      endMarked(mark);
      process.exit(code);
    });
  await installServers([...servers, SQLITE], { scratch, print, signal: interrupted.signal });
  const installed = servers.filter((server) => isInstalled(server, scratch));
  const tools = await toolsOf(installed, { scratch, mark, print });
  const tasksIn = (file: string): TaskSet => parseTasks(readFileSync(here(file), "utf8"));
  const { en: apart = [] } = tasksIn("kept-apart.json");
  const measured = await measureContext(tools, tasksIn("tasks.json"), apart);
  const where = `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${process.platform}`;
  const used = [...servers, SQLITE].filter(({ name }) => WORKFLOW_SERVERS.has(name));
  const workflows = await measureWorkflows(used, scratch, mark);
  const page = contextPage(measured, workflows, where);
  const isWhole = measured.servers === servers.length;
  if (isWhole) writeFileSync(here("../docs/context.md"), page);
  else process.stdout.write(page);
  const isGood = isWhole && targetsOf(measured).every(({ isMet }) => isMet);
  return isGood ? 0 : 1;
}
