import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inParallel } from "./in-parallel.ts";
import type { Scratch } from "./scratch.ts";
import type { FleetServer } from "./server-list.ts";

export interface InstallOptions {
  readonly scratch: Scratch;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
}

/** npm is mostly busy unpacking; more at a time do not finish sooner on two cores. */
const AT_ONCE = 3;
const DEADLINE_MS = 300_000;

/**
 * Installs each server into a folder of its own: one install for all would force their dependencies to agree, and one bad
 * package would take the others with it. A server that is there already is left alone. Returns the reasons of failures.
 */
export async function installServers(
  servers: readonly FleetServer[],
  options: InstallOptions,
): Promise<ReadonlyMap<string, string>> {
  const failures = new Map<string, string>();
  const missing = servers.filter((server) => !isInstalled(server, options.scratch));
  if (missing.length > 0) options.print(`installing ${missing.length} of ${servers.length} servers`);
  await inParallel(missing, AT_ONCE, async (server) => {
    if (options.signal.aborted) return;
    const failure = await installOne(server, options);
    if (failure !== undefined) failures.set(server.name, failure);
    options.print(`  ${server.package} ${server.version}: ${failure ?? "installed"}`);
  });
  return failures;
}

export function isInstalled(server: FleetServer, scratch: Scratch): boolean {
  try {
    return readFileSync(doneFile(server, scratch), "utf8") === identity(server);
  } catch {
    return false;
  }
}

/** Written after a complete install, so that an interrupted one is repeated. */
function doneFile({ name }: FleetServer, scratch: Scratch): string {
  return join(scratch.installOf(name), "installed.txt");
}

function identity(server: FleetServer): string {
  return `${server.package}@${server.version}`;
}

async function installOne(
  server: FleetServer,
  { scratch, signal }: InstallOptions,
): Promise<string | undefined> {
  const npm = process.env["npm_execpath"];
  if (!npm || !existsSync(npm)) throw new Error("cannot find npm; start this script with: npm run fleet");
  const folder = scratch.installOf(server.name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const dependencies = { [server.package]: server.version };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  // Without scripts: nothing of these packages runs before the fleet does, and none of the list needs them.
  const args = [
    "install",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-progress",
    "--loglevel=error",
  ];
  const child = spawn(process.execPath, [npm, ...args], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
    signal,
    timeout: DEADLINE_MS,
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  // An abort is also reported as an error; the exit follows.
  child.on("error", () => {});
  const [code] = (await once(child, "close")) as [number | null];
  if (code === 0) writeFileSync(doneFile(server, scratch), identity(server));
  return code === 0 ? undefined : `npm failed: ${reasonIn(stderr)}`;
}

function reasonIn(stderr: string): string {
  const lines = stderr
    .split("\n")
    .filter((line) => line.startsWith("npm error") && !line.includes("log of this run"));
  return (
    lines
      .slice(0, 2)
      .map((line) => line.replace(/^npm error /, ""))
      .join(" ") || "no reason given"
  );
}
