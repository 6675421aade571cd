import { fileURLToPath } from "node:url";
import type { TempDir } from "@indus/testkit";
import {
  modernRequest,
  type RawAnswer,
  type RawRequest,
  send,
} from "../../../indusagi/test/interop/host/http/raw-http.ts";
import { eventually, type Indus, startIndus, writeConfig } from "../bin/run-indus.ts";

const roughScript = fileURLToPath(
  new URL("../../../indusagi/test/interop/fleet/rough-server.mjs", import.meta.url),
);

/** A row for a small server that misbehaves as its flags ask. */
export function roughRow(...args: string[]): object {
  return { command: process.execPath, args: [roughScript, ...args] };
}

/** `indus serve` over HTTP as a process, without native tools. */
export interface ServingGateway extends AsyncDisposable {
  readonly indus: Indus;
  readonly url: string;
}

export interface ServingOptions {
  readonly name: string;
  readonly rows: { readonly [id: string]: object };
  readonly env?: NodeJS.ProcessEnv;
  readonly args?: readonly string[];
}

const END_MS = 20_000;

/** Starts it and waits until it listens, not until its servers have started. */
export async function serveRows(
  dir: TempDir,
  { name, rows, env = {}, args = [] }: ServingOptions,
): Promise<ServingGateway> {
  const file = await writeConfig(dir.at(`${name}.json`), rows);
  const indus = startIndus(["serve", "--port", "0", "--profile", "none", "--mcp", file, ...args], {
    cwd: dir.path,
    env,
  });
  const url = await eventually(() => {
    if (indus.child.exitCode !== null) throw new Error(`indus has ended: ${indus.err()}`);
    return /^http:\S+/m.exec(indus.out())?.[0];
  }, 60_000);
  return {
    indus,
    url,
    [Symbol.asyncDispose]: async () => {
      indus.child.kill("SIGTERM");
      const timer = setTimeout(() => indus.child.kill("SIGKILL"), END_MS);
      await indus.ended;
      clearTimeout(timer);
    },
  };
}

/** A call of the modern era, which needs no session. Over one request and connection of its own. */
export function callModern(
  url: string,
  name: string,
  { args = {}, meta, ...raw }: RawRequest & { readonly args?: object; readonly meta?: object } = {},
): Promise<RawAnswer> {
  const request = modernRequest(1, "tools/call", { name, arguments: args, ...(meta ? { _meta: meta } : {}) });
  return send(url, { ...raw, ...request, headers: { ...request.headers, ...raw.headers } });
}
