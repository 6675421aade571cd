import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { MARK_VARIABLE } from "../../fleet/scratch.ts";
import { inRepository } from "../repository.ts";
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
import { startProgram } from "./processes.ts";

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
      const program = await startProgram(await launch(server, options, "--port", "0"), {
        mark: options.mark,
        env: environment(options),
        cwd: options.folder,
        ready: /^http:\S+/m,
      });
      const target = { kind: "http" as const, url: `${program.ready[0]}${path}` };
      return { target, [Symbol.asyncDispose]: async () => program[Symbol.asyncDispose]() };
    },
  };
}

const WARM_MS = 60_000;

/**
 * Only the mounted server: our own tools would be differences. It was started once before: on its very first start a gateway
 * answers `initialize` before it can know the instructions of its servers.
 */
async function launch(server: Target, options: DoorOptions, ...how: string[]): Promise<string[]> {
  const { folder, mark } = options;
  const file = join(folder, "servers.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { [SERVER_ID]: rowOf(server) } }));
  await promisify(execFile)(process.execPath, [indus, "mcp", "warm", "--mcp", file], {
    cwd: folder,
    env: { ...process.env, ...environment(options), [MARK_VARIABLE]: mark },
    timeout: WARM_MS,
  });
  return [process.execPath, indus, "serve", "--mcp", file, "--profile", "none", ...how];
}

/** Nothing of the user's own settings, and no memory of other servers. */
function environment({ folder }: DoorOptions): { readonly [name: string]: string } {
  return { XDG_STATE_HOME: join(folder, "state"), XDG_CONFIG_HOME: join(folder, "config") };
}
