import { execFile } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TempDir } from "@indus/testkit";
import { eventually, type Indus, startIndus, writeConfig } from "./run-indus.ts";

const gatedScript = fileURLToPath(new URL("../../../../test/servers/gated.mjs", import.meta.url));

/** A row for a server whose readiness the test decides; see `gated.mjs`. */
export function gatedRow(...args: string[]): { readonly command: string; readonly args: readonly string[] } {
  return { command: process.execPath, args: [gatedScript, ...args] };
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: {
    readonly tools?: readonly { readonly name: string }[];
    readonly [member: string]: unknown;
  };
}

/** Against a hang only. */
const HANG_MS = 60_000;

/** A client of the legacy era over stdio, written out, so that its patience and its reactions are those of the test. */
export interface ScriptedClient extends Disposable {
  readonly indus: Indus;
  /** Everything received so far. */
  messages(): readonly Message[];
  /** Sends a request and returns its id. */
  request(method: string, params?: object): number;
  /** The result of a request, or nothing if it fails or does not come within the time. */
  result(id: number, withinMs?: number): Promise<Message["result"]>;
}

/** Starts `indus serve --stdio` and initializes it under the name of a client. */
export async function connectScripted(
  name: string,
  args: readonly string[],
  options: Parameters<typeof startIndus>[1] = {},
  capabilities: object = {},
): Promise<ScriptedClient> {
  const indus = startIndus(["serve", "--stdio", ...args], options);
  let lastId = 0;
  const send = (message: object): void =>
    void indus.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const messages = (): readonly Message[] =>
    indus
      .out()
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Message);
  const client: ScriptedClient = {
    indus,
    messages,
    request: (method, params = {}) => {
      lastId += 1;
      send({ id: lastId, method, params });
      return lastId;
    },
    result: (id, withinMs = HANG_MS) =>
      eventually(() => messages().find((message) => message.id === id), withinMs).then(
        ({ result }) => result,
        () => undefined,
      ),
    [Symbol.dispose]: () => indus[Symbol.dispose](),
  };
  const clientInfo = { name, version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities, clientInfo };
  const answer = await client.result(client.request("initialize", params));
  if (!answer) throw new Error(`initialize was not answered: ${indus.err()}`);
  send({ method: "notifications/initialized" });
  return client;
}

/** The names in the answer to `tools/list` without the native tools; nothing if there was no answer. */
export function mountedNames(result: Message["result"]): string[] | undefined {
  return result?.tools?.map(({ name }) => name).filter((name) => name.includes("__"));
}

const CALM_START_MS = 80;

/** A time that a client waits on a calm machine, multiplied by how much slower this machine is now. */
export async function patience(calmMs: number): Promise<number> {
  const startMs = performance.now();
  await promisify(execFile)(process.execPath, ["-e", ""]);
  return calmMs * Math.max(1, (performance.now() - startMs) / CALM_START_MS);
}

/** Servers that get ready when their gate opens, and a state folder that survives a run. */
export interface GatedFleet {
  readonly file: string;
  readonly names: readonly string[];
  readonly options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv };
  open(): Promise<void>;
  close(): Promise<void>;
}

export async function gatedFleet(dir: TempDir, count: number): Promise<GatedFleet> {
  const gate = dir.at("gate");
  const ids = Array.from({ length: count }, (_, at) => `s${at}`);
  const row = gatedRow("--gate", gate, "--count", "2");
  const file = await writeConfig(dir.at("servers.json"), Object.fromEntries(ids.map((id) => [id, row])));
  return {
    file,
    names: ids.flatMap((id) => [`${id}__t0`, `${id}__t1`]),
    options: { cwd: dir.path, env: { XDG_STATE_HOME: dir.at("state") } },
    open: () => writeFile(gate, ""),
    close: () => rm(gate, { force: true }),
  };
}
