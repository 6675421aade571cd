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
}

export interface NatsOptions {
  /** Flush every write. Default: true. */
  readonly flushes?: boolean;
  /** More of its configuration, such as users. */
  readonly more?: string;
}

const READY_MS = 20_000;

/** Starts one below a folder, and waits until it can be used. */
export async function startNats(
  folder: string,
  { flushes = true, more = "" }: NatsOptions = {},
): Promise<NatsServer> {
  if (natsServer === undefined) throw new Error("there is no nats-server; run scripts/ci-extras");
  const [port, http] = [await freePort(), await freePort()];
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "nats.conf");
  const flush = flushes ? "sync_interval: always" : "";
  writeFileSync(
    file,
    `host: 127.0.0.1\nport: ${port}\nhttp: "127.0.0.1:${http}"\njetstream { store_dir: "${join(folder, "jetstream")}"\n${flush} }\n${more}\n`,
  );
  const program = natsServer;
  const start = (): ChildProcess => spawn(program, ["-c", file], { stdio: "ignore" });
  let child = start();
  const end: NatsServer["end"] = async (signal) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, "exit");
  };
  const monitor = `http://127.0.0.1:${http}`;
  for (const until = performance.now() + READY_MS; ; await pause(50)) {
    const answer = await fetch(`${monitor}/healthz?js-enabled-only=true`).catch(() => undefined);
    if (answer?.ok) break;
    if (performance.now() > until) throw new Error("nats-server did not become ready");
  }
  return {
    url: `nats://127.0.0.1:${port}`,
    monitor,
    end,
    start: () => {
      child = start();
    },
    [Symbol.asyncDispose]: () => end("SIGKILL"),
  };
}
