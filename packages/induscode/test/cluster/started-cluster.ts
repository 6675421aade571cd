import { startNats, type TempDir } from "@indus/testkit";
import { modernRequest, type RawAnswer, send } from "../../../indusagi/test/interop/host/http/raw-http.ts";
import { connectCluster } from "../../src/cluster/connect-cluster.ts";
import { StateKey } from "../../src/cluster/contract.ts";
import { setUpCluster } from "../../src/cluster/set-up-cluster.ts";
import { writeState } from "../../src/cluster/shared-state.ts";
import { eventually, type Indus, runIndus, startIndus, writeConfig } from "../bin/run-indus.ts";

/** NATS with gateways and workers as processes. */
export interface StartedCluster extends AsyncDisposable {
  readonly nats: Awaited<ReturnType<typeof startNats>>;
  /** A token that may use everything. */
  readonly token: string;
  /** The addresses of the gateways, in the order of their names. */
  readonly urls: readonly string[];
  /** By name. */
  readonly nodes: ReadonlyMap<string, Indus>;
  /** A command with `--cluster`. */
  indus(...args: string[]): Promise<{
    readonly code: number | null;
    readonly out: string;
    readonly err: string;
  }>;
  /** Starts a node and waits until it is ready. Resolves to its address, if it is a gateway. */
  start(name: string, ...args: string[]): Promise<string>;
  /** A modern call through a gateway. */
  call(gateway: number, tool: string, args?: object, bearer?: string): Promise<RawAnswer>;
}

interface StartedOptions {
  readonly rows: { readonly [server: string]: object };
  readonly gateways: readonly string[];
  readonly workers: readonly string[];
  readonly leaseS?: number;
  readonly serve?: readonly string[];
}

const START_MS = 60_000;

export async function startCluster(
  dir: TempDir,
  { rows, gateways, workers, leaseS = 20, serve = [] }: StartedOptions,
): Promise<StartedCluster> {
  const nats = await startNats(dir.at("nats"));
  const nodes = new Map<string, Indus>();
  const urls: string[] = [];
  const indus: StartedCluster["indus"] = async (...args) => {
    // What follows `--` is the command of a server.
    const end = args.indexOf("--");
    const own = end === -1 ? args.length : end;
    return runIndus([...args.slice(0, own), "--cluster", nats.url, ...args.slice(own)], { cwd: dir.path });
  };
  const start: StartedCluster["start"] = async (name, ...args) => {
    const node = startIndus([...args, "--cluster", nats.url, "--name", name], { cwd: dir.path });
    nodes.set(name, node);
    return await eventually(() => {
      if (node.child.exitCode !== null) throw new Error(`${name} has ended: ${node.err()}`);
      return /^(http:\S+|worker \S+ is ready)/m.exec(node.out())?.[0];
    }, START_MS);
  };
  const must = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await indus(...args);
    if (code !== 0) throw new Error(err);
    return out;
  };
  {
    await using connection = await connectCluster({ urls: [nats.url] }, "test");
    await setUpCluster(connection, { leaseMs: leaseS * 1_000 });
    await writeState(connection, StateKey.SERVERS, JSON.stringify({ mcpServers: rows }));
  }
  const token = (await must("token", "add", "alice")).trim();
  const key = dir.at("key");
  await writeConfig(key, { any: { command: "text that is long enough for a key" } });
  const [addresses] = await Promise.all([
    Promise.all(
      gateways.map((name) =>
        start(name, "serve", "--port", "0", "--require-token", "--key-file", key, ...serve),
      ),
    ),
    Promise.all(workers.map((name) => start(name, "worker"))),
  ]);
  urls.push(...addresses);
  return {
    ...{ nats, token, urls, nodes, indus, start },
    call: (gateway, name, args = {}, bearer = token) => {
      const request = modernRequest(1, "tools/call", { name, arguments: args });
      return send(urls[gateway] ?? "", {
        ...request,
        headers: { ...request.headers, authorization: `Bearer ${bearer}` },
      });
    },
    [Symbol.asyncDispose]: async () => {
      for (const node of nodes.values()) node.child.kill("SIGTERM");
      const timer = setTimeout(() => {
        for (const node of nodes.values()) node.child.kill("SIGKILL");
      }, 20_000);
      await Promise.all([...nodes.values()].map((node) => node.ended));
      clearTimeout(timer);
      await nats[Symbol.asyncDispose]();
    },
  };
}
