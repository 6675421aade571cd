import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TempDir } from "@indus/testkit";
import {
  createServerEndpoint,
  type EraMemory,
  type ServerConfig,
  type ServerFleet,
  type ServerSession,
} from "indusagi/interop";
import { expect } from "vitest";
import { openRun } from "../../../src/boot/internal.ts";
import { openGateway } from "../../../src/gateway/open/internal.ts";

const script = fileURLToPath(new URL("../../../../../test/servers/library.mjs", import.meta.url));
export const named = (server: string, uri: string): string => `indus://resource/${server}/${uri}`;

/** Writes what a server has, and returns its row. */
export async function library(dir: TempDir, id: string, content: object): Promise<ServerConfig> {
  await writeFile(dir.at(`${id}.json`), JSON.stringify(content));
  return { kind: "stdio", id, command: process.execPath, args: [script, dir.at(`${id}.json`)] };
}

/** What the gateways of a state folder know of their servers. */
export async function keptIn(state: string): Promise<string> {
  const names = await readdir(state, { recursive: true });
  const files = names.filter((name) => /catalogue.[0-9a-f]+\.json$/.test(name));
  return (await Promise.all(files.map((name) => readFile(join(state, name), "utf8")))).join("\n");
}

export interface Served extends AsyncDisposable {
  readonly url: string;
  readonly fleet: ServerFleet;
  /** The lines about prompts and resources of a server that are left out. */
  readonly leftOut: (server: string) => readonly string[];
}

/** A gateway at a free port. */
export async function serveIn(
  dir: TempDir,
  servers: readonly ServerConfig[],
  waitMs?: number,
): Promise<Served> {
  const stop = new AbortController();
  const terminal = { out: () => {}, err: () => {} };
  const env = { XDG_STATE_HOME: dir.at("state"), HOME: dir.at("home") };
  const run = await openRun({ terminal, signal: stop.signal, cwd: dir.path, env });
  const gateway = await openGateway(run, {
    servers,
    transport: { kind: "http", port: 0 },
    ...(waitMs === undefined ? {} : { waitMs }),
  });
  let serving: Promise<void> | undefined;
  const url = await new Promise<string>((resolve, reject) => {
    serving = gateway.serve(resolve);
    serving.catch(reject);
  });
  return {
    url,
    fleet: gateway.servers.fleet,
    leftOut: (server) => gateway.servers.leftOutItems.of(server),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await serving;
      await run[Symbol.asyncDispose]();
    },
  };
}

const legacy: EraMemory = { recall: () => "legacy", remember: () => {} };

export interface Client extends AsyncDisposable {
  readonly session: ServerSession;
  get(method: string, params?: object): Promise<{ readonly [member: string]: unknown }>;
  uris(): Promise<unknown[]>;
}

export async function connect(url: string, era: "legacy" | "modern"): Promise<Client> {
  const endpoint = createServerEndpoint({ kind: "streamable-http", id: "gateway", url }, undefined, {
    ...(era === "legacy" ? { eras: legacy } : {}),
  });
  await endpoint.open();
  const session = endpoint.session();
  expect(session.era).toBe(era);
  const get: Client["get"] = async (method, params = {}) =>
    (await session.request(method, { ...params })) as { readonly [member: string]: unknown };
  return {
    session,
    get,
    uris: async () =>
      ((await get("resources/list"))["resources"] as { readonly uri: string }[]).map(({ uri }) => uri),
    [Symbol.asyncDispose]: () => endpoint.close(),
  };
}
