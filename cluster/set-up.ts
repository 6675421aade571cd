import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../test/kit/free-port.ts";
import { type NatsNodes, type NatsNodesOptions, startNatsNodes } from "../test/kit/nats-server.ts";

export const INDUS: string = fileURLToPath(new URL("../packages/induscode/bin/indus.js", import.meta.url));
const COUNTED = fileURLToPath(new URL("counted-server.mjs", import.meta.url));
const START_MS = 120_000;
const END_MS = 60_000;
/** A command that takes longer is killed, and has failed. */
const COMMAND_MS = 120_000;

/** A gateway or a worker, as a process. */
export interface IndusNode {
  readonly name: string;
  readonly pid: number;
  /** Of a gateway. */
  readonly url: string;
  readonly said: () => string;
  /** Sends a signal and waits until the process has ended. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
  signal(signal: "SIGSTOP" | "SIGCONT"): void;
  readonly hasEnded: boolean;
}

/** Where a node runs. */
export interface NodePlace {
  /** What its command line begins with, such as `ip netns exec NAME`. */
  readonly prefix?: readonly string[];
  readonly host?: string;
  /** The NATS server that it connects to first. Default: any. */
  readonly nats?: string;
}

export interface ClusterOptions extends NatsNodesOptions {
  /** The ids of servers that count their calls. Those that begin with `m` speak the newer protocol, and can ask. */
  readonly servers: readonly string[];
  readonly leaseS?: number;
  /** More of the command line of each command: credentials. */
  readonly access?: readonly string[];
  /** Clients need no token, and calls may need approval, as without a cluster. Default: all have the token, and none needs approval. */
  readonly isOpen?: boolean;
  /** More rows. */
  readonly rows?: { readonly [id: string]: object };
}

/** How a command ended. */
export interface CommandEnd {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** When an instance of a server ran, by the clock of this machine. */
export interface Instance {
  readonly server: string;
  readonly pid: number;
  /** The process id of its worker. */
  readonly worker: number;
  readonly startMs: number;
  /** When it was last alive. */
  readonly endMs: number;
}

/** NATS servers that are set up for Indus, and the nodes that were started. Everything ends with it. */
export class Cluster implements AsyncDisposable {
  readonly folder: string;
  readonly nats: NatsNodes;
  readonly #options: ClusterOptions;
  readonly #nodes = new Set<IndusNode>();
  readonly #ports = new Map<string, number>();
  /** A client's token. */
  token = "";

  private constructor(folder: string, nats: NatsNodes, options: ClusterOptions) {
    this.folder = folder;
    this.nats = nats;
    this.#options = options;
  }

  static async start(options: ClusterOptions): Promise<Cluster> {
    const folder = await mkdtemp(join(tmpdir(), "indus-cluster-"));
    let nats: NatsNodes;
    try {
      nats = await startNatsNodes(join(folder, "nats"), options);
    } catch (thrown) {
      rmSync(folder, { recursive: true, force: true });
      throw thrown;
    }
    const cluster = new Cluster(folder, nats, options);
    try {
      await cluster.#setUp();
    } catch (thrown) {
      await cluster[Symbol.asyncDispose]();
      throw thrown;
    }
    return cluster;
  }

  async #setUp(): Promise<void> {
    const { servers, leaseS = 20, rows = {} } = this.#options;
    mkdirSync(join(this.folder, "instances"));
    writeFileSync(join(this.folder, "key"), "a secret that all gateways of this run share");
    const counted = servers.map((id) => {
      const files = ["--ran", this.#at("ran"), "--instances", this.#at("instances")];
      const args = [COUNTED, "--name", id, ...files, ...(id.startsWith("m") ? ["--modern"] : [])];
      return [id, { command: process.execPath, args }];
    });
    writeFileSync(
      this.#at("servers.json"),
      JSON.stringify({ mcpServers: { ...Object.fromEntries(counted), ...rows } }),
    );
    // A new cluster of NATS servers answers when it has chosen its leader.
    for (const untilMs = performance.now() + START_MS; ; await pause(500)) {
      const { code, err } = await this.indus("cluster", "init", "--lease", String(leaseS));
      if (code === 0) break;
      if (performance.now() > untilMs) throw new Error(`the cluster could not be set up: ${err}`);
    }
    await this.must("cluster", "apply", this.#at("servers.json"));
    if (!this.#options.isOpen) this.token = (await this.must("token", "add", "client")).trim();
  }

  #at(name: string): string {
    return join(this.folder, name);
  }

  /** Starts a command on the cluster. */
  command(...args: readonly string[]): ChildProcess {
    return this.#spawn("command", [process.execPath, INDUS, ...args]);
  }

  /** The same, to its end. */
  indus(...args: readonly string[]): Promise<CommandEnd> {
    return this.indusAt(this.nats.url, ...args);
  }

  /** The same on another one. */
  async indusAt(url: string, ...args: readonly string[]): Promise<CommandEnd> {
    const child = this.#spawn("command", [process.execPath, INDUS, ...args], url);
    const out: string[] = [];
    const err: string[] = [];
    child.stdout?.on("data", (chunk) => out.push(String(chunk)));
    child.stderr?.on("data", (chunk) => err.push(String(chunk)));
    const late = setTimeout(() => child.kill("SIGKILL"), COMMAND_MS);
    const [code] = (await once(child, "close")) as [number | null];
    clearTimeout(late);
    return { code, out: out.join(""), err: err.join("") };
  }

  /** Runs one to its end; rejects if it fails. */
  async must(...args: readonly string[]): Promise<string> {
    const { code, out, err } = await this.indus(...args);
    if (code !== 0) throw new Error(`indus ${args.join(" ")} failed: ${err}`);
    return out;
  }

  #spawn(name: string, [command = "", ...args]: readonly string[], url = this.nats.url): ChildProcess {
    const home = join(this.folder, "homes", name);
    mkdirSync(home, { recursive: true });
    const { access = [] } = this.#options;
    return spawn(command, [...args, "--cluster", url, ...access], {
      cwd: home,
      env: { ...process.env, HOME: home, XDG_STATE_HOME: home, XDG_CONFIG_HOME: home },
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  async worker(
    name: string,
    { prefix = [], nats }: NodePlace = {},
    more: readonly string[] = [],
  ): Promise<IndusNode> {
    return this.#node(name, [...prefix, process.execPath, INDUS, "worker", "--name", name, ...more], nats);
  }

  /** A gateway. One that is started again has the same address. */
  async gateway(name: string, { prefix = [], host, nats }: NodePlace = {}): Promise<IndusNode> {
    const port = this.#ports.get(name) ?? (await freePort());
    this.#ports.set(name, port);
    const serve = [
      ...["serve", "--port", String(port), "--name", name, "--key-file", this.#at("key")],
      ...(this.#options.isOpen ? [] : ["--require-token", "--mode", "bypass"]),
      ...(host === undefined ? [] : ["--host", host]),
    ];
    return this.#node(name, [...prefix, process.execPath, INDUS, ...serve], nats);
  }

  /** Starts a node and waits until it is part of the cluster. */
  async #node(name: string, argv: readonly string[], nats?: string): Promise<IndusNode> {
    const child = this.#spawn(name, argv, nats);
    const texts: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => void texts.push(text));
    let hasEnded = false;
    const ended = once(child, "close").then(() => {
      hasEnded = true;
    });
    const said = (): string => texts.join("");
    const url = (): string => /^http:\S+/m.exec(said())?.[0] ?? "";
    const node: IndusNode = {
      name,
      pid: child.pid ?? 0,
      get url() {
        return url();
      },
      said,
      get hasEnded() {
        return hasEnded;
      },
      signal: (signal) => void child.kill(signal),
      end: async (signal) => {
        child.kill(signal);
        child.kill("SIGCONT");
        const late = setTimeout(() => child.kill("SIGKILL"), END_MS);
        await ended;
        clearTimeout(late);
        this.#nodes.delete(node);
      },
    };
    this.#nodes.add(node);
    for (const untilMs = performance.now() + START_MS; ; await pause(20)) {
      if (/^(http:\S+|worker \S+ is ready)/m.test(said())) return node;
      if (hasEnded || performance.now() > untilMs) throw new Error(`${name} did not start: ${said()}`);
    }
  }

  /** The calls that ran, in order: one entry for each time. */
  ran(): readonly string[] {
    return linesOf(this.#at("ran")).map((line) => line.split(" ")[0] ?? "");
  }

  /** All instances of the counted servers, by start. */
  instances(): readonly Instance[] {
    return readdirSync(this.#at("instances"))
      .filter((file) => /\.\d+$/.test(file))
      .flatMap((file) => this.#instance(file) ?? [])
      .sort((a, b) => a.startMs - b.startMs);
  }

  /** The last instance of a server. */
  lastOf(server: string): Instance | undefined {
    const [pid] = linesOf(join(this.#at("instances"), `${server}.last`));
    return pid === undefined ? undefined : this.#instance(`${server}.${pid}`);
  }

  #instance(file: string): Instance | undefined {
    const [line = ""] = linesOf(join(this.#at("instances"), file));
    const [worker, startMs, endMs] = line.split(" ").map(Number);
    const at = file.lastIndexOf(".");
    if (worker === undefined || startMs === undefined || endMs === undefined) return undefined;
    return { server: file.slice(0, at), pid: Number(file.slice(at + 1)), worker, startMs, endMs };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#nodes].map((node) => node.end("SIGTERM")));
    await this.nats[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** So many NATS servers on this machine. */
export function loopback(count: number): NonNullable<NatsNodesOptions["places"]> {
  return Array.from({ length: count }, () => ({ host: "127.0.0.1" }));
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean);
  } catch {
    return []; // Nothing ran yet.
  }
}

/** The clock of this machine, as the counted servers read it. */
export function machineMs(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}

/** Pairs of instances of one server that lived at the same time. */
export function overlapsOf(instances: readonly Instance[]): readonly string[] {
  return instances.flatMap((one, at) =>
    instances
      .slice(at + 1)
      .filter((other) => other.server === one.server && other.startMs < one.endMs)
      .map(
        (other) =>
          `${one.server}: ${other.pid} started ${Math.round(one.endMs - other.startMs)} ms before ${one.pid} had ended`,
      ),
  );
}

/** Waits until a function returns a value. */
export async function until<Value>(
  what: () => Value | undefined | Promise<Value | undefined>,
  why: string,
  withinMs = 60_000,
): Promise<Value> {
  for (const untilMs = performance.now() + withinMs; performance.now() < untilMs; await pause(10)) {
    const value = await what();
    if (value !== undefined) return value;
  }
  throw new Error(`${why} did not happen within ${withinMs / 1000} s`);
}
