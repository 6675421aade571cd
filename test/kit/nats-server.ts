import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "./free-port.ts";

/** The program, if a server of NATS 2.12 or newer is here: `$NATS_SERVER`, what `scripts/ci-extras` unpacked, or one on the path. */
export const natsServer: string | undefined = findServer();

function findServer(): string | undefined {
  // Not `HOME`: tests have one of their own.
  const cache = process.env["CI_CACHE_HOME"] ?? join(userInfo().homedir, ".cache");
  const places = [process.env["NATS_SERVER"], join(cache, "indus-ci", "nats", "nats-server"), "nats-server"];
  return places.find((place) => {
    if (place === undefined) return false;
    try {
      const said = execFileSync(place, ["--version"], { encoding: "utf8" });
      const [, major = 0, minor = 0] = (/v(\d+)\.(\d+)/.exec(said) ?? []).map(Number);
      return major > 2 || (major === 2 && minor >= 12);
    } catch {
      return false;
    }
  });
}

/** A real server with JetStream on this machine. */
export interface NatsServer extends AsyncDisposable {
  readonly url: string;
  /** The address of its monitoring pages. */
  readonly monitor: string;
  /** Ends it and waits for that. It keeps its port and its files. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
  /** Starts it again. Does not wait until it can be used. */
  start(): void;
  /** Waits until it can be used. */
  untilReady(): Promise<void>;
}

export interface NatsOptions {
  /** Flush every write. Default: true. */
  readonly flushes?: boolean;
  /** More of its configuration, such as users. */
  readonly more?: string;
}

const READY_MS = 20_000;
const MOST_STARTS = 5;

/** Starts one below a folder, and waits until it can be used. */
export async function startNats(folder: string, options: NatsOptions = {}): Promise<NatsServer> {
  if (natsServer === undefined) throw new Error("there is no nats-server; run scripts/ci-extras");
  for (let starts = 1; ; starts++) {
    const server = await spawnNats(natsServer, folder, options);
    try {
      await server.untilReady();
      return server;
    } catch (thrown) {
      await server[Symbol.asyncDispose]();
      // Another program may have taken a port meanwhile: the next one has other ports.
      if (starts === MOST_STARTS || !(thrown instanceof HasEnded)) throw thrown;
    }
  }
}

class HasEnded extends Error {}

async function spawnNats(
  program: string,
  folder: string,
  { flushes = true, more = "" }: NatsOptions,
): Promise<NatsServer> {
  const [port, http] = [await freePort(), await freePort()];
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "nats.conf");
  const flush = flushes ? "sync_interval: always" : "";
  writeFileSync(
    file,
    `host: 127.0.0.1\nport: ${port}\nhttp: "127.0.0.1:${http}"\njetstream { store_dir: "${join(folder, "jetstream")}"\n${flush} }\n${more}\n`,
  );
  const start = (): ChildProcess => spawn(program, ["-c", file], { stdio: "ignore" });
  let child = start();
  const end: NatsServer["end"] = async (signal) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  const monitor = `http://127.0.0.1:${http}`;
  return {
    url: `nats://127.0.0.1:${port}`,
    monitor,
    end,
    start: () => {
      child = start();
    },
    untilReady: () =>
      untilHealthy(`${monitor}/healthz?js-enabled-only=true`, {
        name: "nats-server",
        untilMs: performance.now() + READY_MS,
        hasEnded: () => child.exitCode !== null || child.signalCode !== null,
      }),
    [Symbol.asyncDispose]: () => end("SIGKILL"),
  };
}

const ANSWER_MS = 2_000;

async function untilHealthy(
  url: string,
  {
    name,
    untilMs,
    hasEnded,
  }: { readonly name: string; readonly untilMs: number; readonly hasEnded: () => boolean },
): Promise<void> {
  for (let why = ""; ; ) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => undefined);
    // If this one has ended, the answer is that of another program.
    if (hasEnded()) throw new HasEnded(`${name} has ended before it was ready`);
    if (answer?.ok) return;
    why = (await answer?.text().catch(() => undefined)) ?? why;
    if (performance.now() > untilMs) throw new Error(`${name} did not become ready: ${why}`);
    await pause(50);
  }
}

/** One server of several. It keeps its ports and its files when it is ended and started again. */
export interface NatsNode {
  readonly name: string;
  readonly url: string;
  readonly monitor: string;
  /** The process that runs now, or ran last. */
  readonly pid: number;
  readonly isRunning: boolean;
  /** Ends it and waits for that. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
  /** Starts it. Does not wait until it can be used. */
  start(): void;
  /** Waits until it runs and holds everything that was stored. */
  untilReady(withinMs?: number): Promise<void>;
}

/** Servers that are one cluster. */
export interface NatsNodes extends AsyncDisposable {
  readonly nodes: readonly NatsNode[];
  /** All their addresses, as for `--cluster`. */
  readonly url: string;
  /** Waits until all run and hold everything that was stored. */
  untilReady(): Promise<void>;
}

/** Where a server runs. */
export interface NatsPlace {
  readonly host: string;
  /** What its command line begins with, such as `ip netns exec NAME`. */
  readonly prefix?: readonly string[];
}

export interface NatsNodesOptions {
  /** Default: three on loopback. */
  readonly places?: readonly NatsPlace[];
  /** More of their configuration, such as TLS. */
  readonly more?: string;
  /** Default: `nats`. */
  readonly scheme?: "nats" | "tls";
}

const LOOPBACK: NatsPlace = { host: "127.0.0.1" };
const CLUSTER_READY_MS = 180_000;

/** Starts servers that are one cluster, and flush every write. */
export async function startNatsNodes(
  folder: string,
  { places = [LOOPBACK, LOOPBACK, LOOPBACK], more = "", scheme = "nats" }: NatsNodesOptions = {},
): Promise<NatsNodes> {
  const server = natsServer;
  if (server === undefined) throw new Error("there is no nats-server; run scripts/ci-extras");
  const ports: [number, number, number][] = [];
  for (const _place of places) ports.push([await freePort(), await freePort(), await freePort()]);
  const isCluster = places.length > 1;
  const routes = places.map(({ host }, at) => `"nats-route://${host}:${ports[at]?.[2]}"`).join(", ");
  const nodes = places.map(({ host, prefix = [] }, at): NatsNode => {
    const [port, http, route] = ports[at] ?? [];
    const name = `n${at + 1}`;
    const home = join(folder, name);
    mkdirSync(home, { recursive: true });
    const file = join(home, "nats.conf");
    writeFileSync(
      file,
      `server_name: ${name}
host: ${host}
port: ${port}
http: "${host}:${http}"
jetstream { store_dir: "${join(home, "jetstream")}", sync_interval: always }
${isCluster ? `cluster { name: indus, host: ${host}, port: ${route}, routes: [${routes}] }` : ""}
${more}
`,
    );
    let child: ChildProcess | undefined;
    const monitor = `http://${host}:${http}`;
    const isRunning = (): boolean => child?.exitCode === null && child.signalCode === null;
    return {
      name,
      url: `${scheme}://${host}:${port}`,
      monitor,
      get pid() {
        return child?.pid ?? 0;
      },
      get isRunning() {
        return isRunning();
      },
      untilReady: (withinMs = CLUSTER_READY_MS) =>
        untilHealthy(`${monitor}/healthz`, {
          name: `nats-server ${name}`,
          untilMs: performance.now() + withinMs,
          hasEnded: () => !isRunning(),
        }),
      start: () => {
        const argv = [...prefix, server, "-c", file, "-l", join(home, "log")];
        child = spawn(argv[0] ?? server, argv.slice(1), { stdio: "ignore" });
      },
      end: async (signal) => {
        if (!child || child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, "exit");
        child.kill(signal);
        // One that was stopped ends only when it goes on.
        child.kill("SIGCONT");
        await ended;
      },
    };
  });
  for (const node of nodes) node.start();
  const cluster: NatsNodes = {
    nodes,
    url: nodes.map(({ url }) => url).join(","),
    untilReady: async () => {
      await Promise.all(nodes.map((node) => node.untilReady()));
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(nodes.map((node) => node.end("SIGKILL")));
    },
  };
  try {
    await cluster.untilReady();
  } catch (thrown) {
    await cluster[Symbol.asyncDispose]();
    throw thrown;
  }
  return cluster;
}
