import { fileURLToPath } from "node:url";
import { freePort } from "../../test/kit/free-port.ts";
import type { BenchCase } from "../case.ts";
import { type Figure, ratioToFastest, type Variant } from "../measure.ts";
import { HttpCaller } from "./http-caller.ts";
import { installPeers } from "./install-peers.ts";
import { type Running, servedFolder, startServing } from "./running.ts";

/** Relative to the script that runs, which is in the folder above. */
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const ECHO = [here("../test/servers/server.mjs"), "--era", "legacy"];
const TEXT = "x".repeat(64);

/** A gateway that is running, and the name of the echo tool behind it. */
interface Served {
  readonly running: Running;
  readonly tool: string;
}

/** Each peer as its own documentation starts it, with one session per client where it has the choice. */
const PEERS: { readonly [name: string]: (port: number) => readonly string[] } = {
  supergateway: (port) => [
    installPeers().programOf("supergateway"),
    ...["--stdio", [process.execPath, ...ECHO].map((word) => JSON.stringify(word)).join(" ")],
    ...["--outputTransport", "streamableHttp", "--stateful", "--port", String(port), "--logLevel", "none"],
  ],
  "mcp-proxy": (port) => [
    installPeers().programOf("mcp-proxy"),
    ...["--port", String(port), "--host", "127.0.0.1", "--server", "stream", "--", process.execPath, ...ECHO],
  ],
  naive: (port) => [here("peers/naive-v1.mjs"), String(port), process.execPath, ...ECHO],
};

async function startPeer(name: string): Promise<Served> {
  const port = await freePort();
  const args = PEERS[name]?.(port) ?? [];
  return {
    running: await startServing({ args, url: `http://127.0.0.1:${port}/mcp` }),
    tool: "echo",
  };
}

async function startOurs(): Promise<Served & { readonly remove: () => void }> {
  const folder = servedFolder({ echo: { command: process.execPath, args: ECHO } });
  return { running: await folder.start(), tool: "echo__echo", remove: () => folder.remove() };
}

/** Rounds of calls with this many in flight. */
async function load({ running, tool }: Served, name: string, inFlight: number): Promise<Variant> {
  const caller = await new HttpCaller(running.url, inFlight).open();
  const call = async (): Promise<unknown> =>
    caller.request("tools/call", { name: tool, arguments: { text: TEXT } });
  const lane = async (): Promise<void> => {
    for (let left = CALLS / inFlight; left > 0; left--) await call();
  };
  await call();
  return { name, run: () => Promise.all(Array.from({ length: inFlight }, lane)) };
}

/** Of one round, for all callers together. */
const CALLS = 512;
const ROUNDS = 15;

async function besidePeers(inFlight: number): Promise<Figure> {
  installPeers();
  const ours = await startOurs();
  const peers: Served[] = [];
  try {
    for (const name of Object.keys(PEERS)) peers.push(await startPeer(name));
    const bases: Variant[] = [];
    for (const [at, name] of Object.keys(PEERS).entries())
      bases.push(await load(peers[at] as Served, name, inFlight));
    return await ratioToFastest(await load(ours, "ours", inFlight), bases, { rounds: ROUNDS });
  } finally {
    for (const { running } of [ours, ...peers]) await running.close();
    ours.remove();
  }
}

const STREET = "HTTP client → `indus serve` → stdio echo server";
const BEST = "the fastest of mcp-proxy, supergateway and a naive gateway on the SDK";

export const serveCallCases: readonly BenchCase[] = [1, 16, 64].map((inFlight) => ({
  id: `serve-calls-${inFlight}`,
  summary: `${STREET}, ${inFlight} in flight / the same through ${BEST}`,
  measure: () => besidePeers(inFlight),
}));
