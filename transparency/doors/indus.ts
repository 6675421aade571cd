import { writeFileSync } from "node:fs";
import { join } from "node:path";
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

const indus = inRepository("packages/induscode/bin/indus.js");

/** `indus serve` over stdio, as a whole over HTTP, and its route to one server. */
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

/**
 * The command line, after a first start: on that one a gateway answers `initialize` before it can know the instructions of its
 * servers. Only the mounted server is offered: our own tools would be differences.
 */
async function launch(server: Target, options: DoorOptions, ...how: string[]): Promise<string[]> {
  const file = join(options.folder, "servers.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { [SERVER_ID]: rowOf(server) } }));
  const serve = [process.execPath, indus, "serve", "--mcp", file, "--profile", "none"];
  await using first = await startHttp([...serve, "--port", "0"], options);
  await using session = await WireSession.open({ kind: "http", url: first.ready[0] }, "legacy");
  for (const method of ["tools/list", "resources/list", "prompts/list"]) await session.request(method);
  await pause(LEARN_MS);
  return [...serve, ...how];
}

/** For the gateway to store what it has listed. */
const LEARN_MS = 300;

function startHttp(argv: readonly string[], options: DoorOptions): Promise<Program> {
  const { mark, folder: cwd } = options;
  return startProgram(argv, { mark, env: environment(options), cwd, ready: /^http:\S+/m });
}

/** Nothing of the user's own settings, and no memory of other servers. */
function environment({ folder }: DoorOptions): { readonly [name: string]: string } {
  return { XDG_STATE_HOME: join(folder, "state"), XDG_CONFIG_HOME: join(folder, "config") };
}
