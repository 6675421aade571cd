import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { MARK_VARIABLE } from "../../fleet/scratch.ts";
import { pause } from "../plan/step.ts";
import { inRepository } from "../repository.ts";
import { WireSession } from "../wire/session.ts";
import type { Target } from "../wire/target.ts";
import {
  type Door,
  type DoorOptions,
  type Gateway,
  OWN_NAMES,
  PREFIXED_NAMES,
  rowOf,
  SERVER_ID,
} from "./gateway.ts";
import { type Program, startProgram } from "./processes.ts";
import type { OpenTarget } from "./subject.ts";

const indus = inRepository("packages/induscode/bin/indus.js");

/** `indus serve` over stdio, as a whole over HTTP, its route to one server, and over stdio while a background gateway runs. */
export const INDUS: Gateway = {
  name: "indus",
  reaches: ["stdio", "http", "sse"],
  doors: [
    {
      name: "stdio",
      isOwn: false,
      names: PREFIXED_NAMES,
      open: async (server, options) => {
        const [command = "", ...args] = await launch(server, options, "--stdio");
        const env = { ...environment(options), [MARK_VARIABLE]: options.mark };
        const target = { kind: "stdio" as const, command, args, env, cwd: options.folder };
        return { target, [Symbol.asyncDispose]: async () => {} };
      },
    },
    httpDoor("/mcp", ""),
    httpDoor(`/mcp/${SERVER_ID}`, `/${SERVER_ID}`),
    { name: "shim", isOwn: false, names: PREFIXED_NAMES, open: openShim },
  ],
};

function httpDoor(name: string, path: string): Door {
  return {
    name,
    isOwn: path !== "",
    names: path === "" ? PREFIXED_NAMES : OWN_NAMES,
    open: async (server, options) => {
      const program = await startHttp(await launch(server, options, "--port", "0"), options);
      const target = { kind: "http" as const, url: `${program.ready[0]}${path}` };
      return { target, [Symbol.asyncDispose]: async () => program[Symbol.asyncDispose]() };
    },
  };
}

/** The same command line as over stdio, of a user whose background gateway runs: the client's process only passes messages on. */
async function openShim(server: Target, options: DoorOptions): Promise<OpenTarget> {
  const { mark, folder: cwd } = options;
  const env = { ...environment(options), HOME: join(cwd, "home"), XDG_RUNTIME_DIR: join(cwd, "run") };
  for (const folder of [env.HOME, env.XDG_RUNTIME_DIR]) mkdirSync(folder, { mode: 0o700 });
  const up = [process.execPath, indus, "up", "--foreground"];
  const gateway = await startProgram(up, { mark, env, cwd, ready: /listening at/ });
  try {
    const args = [...serveOnly(server, options), "--stdio"];
    const command = process.execPath;
    const target = { kind: "stdio" as const, command, args, env: { ...env, [MARK_VARIABLE]: mark }, cwd };
    await using _session = await firstUse(target);
    const status = await promisify(execFile)(process.execPath, [indus, "status", "--json"], {
      env: { ...process.env, ...env },
    });
    const { gateways } = JSON.parse(status.stdout) as {
      gateways: readonly { clients: readonly unknown[] }[];
    };
    // A client that cannot use the gateway is served all the same, and would show nothing about this door.
    if (gateways[0]?.clients.length !== 1) throw new Error("its client does not use the background gateway");
    return { target, [Symbol.asyncDispose]: async () => gateway[Symbol.asyncDispose]() };
  } catch (thrown) {
    await gateway[Symbol.asyncDispose]();
    throw thrown;
  }
}

/** The command line, after a first start. */
async function launch(server: Target, options: DoorOptions, ...how: string[]): Promise<string[]> {
  const serve = serveOnly(server, options);
  await using first = await startHttp([process.execPath, ...serve, "--port", "0"], options);
  await using _session = await firstUse({ kind: "http", url: first.ready[0] });
  return [process.execPath, ...serve, ...how];
}

/** Only the mounted server is offered: our own tools would be differences. */
function serveOnly(server: Target, { folder }: DoorOptions): readonly string[] {
  const file = join(folder, "servers.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { [SERVER_ID]: rowOf(server) } }));
  return [indus, "serve", "--mcp", file, "--profile", "none"];
}

/** On a first start a gateway answers `initialize` before it can know the instructions of its servers. */
async function firstUse(target: Target): Promise<WireSession> {
  const session = await WireSession.open(target, "legacy");
  for (const method of ["tools/list", "resources/list", "prompts/list"]) await session.request(method);
  await pause(LEARN_MS);
  return session;
}

/** For the gateway to store what it has listed. */
const LEARN_MS = 300;

function startHttp(argv: readonly string[], options: DoorOptions): Promise<Program> {
  const { mark, folder: cwd } = options;
  return startProgram(argv, { mark, env: environment(options), cwd, ready: /^http:\S+/m });
}

/** Nothing of the user's own settings, and no memory of other servers. INDUS_INBOUND=sdk reaches every gateway, to compare without the inbound lane. */
function environment({ folder }: DoorOptions): { readonly [name: string]: string } {
  const inbound = process.env["INDUS_INBOUND"];
  return {
    XDG_STATE_HOME: join(folder, "state"),
    XDG_CONFIG_HOME: join(folder, "config"),
    ...(inbound !== undefined && { INDUS_INBOUND: inbound }),
  };
}
