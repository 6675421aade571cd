import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { QUALIFIER } from "indusagi/interop";
import { stateEnvironment } from "../configuration.ts";
import { CAN_INSPECT, memoryMb } from "../processes.ts";

export interface GatewayOptions {
  /** The file that starts `indus`. */
  readonly indus: string;
  /** The configuration with all servers. */
  readonly file: string;
  readonly stateFolder: string;
  /** The script that measures `indus` from inside: `probe.mjs`. */
  readonly probe: string;
  /** Where the probe `indus` writes its report. */
  readonly reportFile: string;
}

/** What the probe inside `indus` saw. */
export interface ProbeReport {
  readonly maxLagMs: number;
  readonly maxRssMb: number;
  /** The processes that were started: when, on the clock of `wallMs`, and which program. */
  readonly starts: readonly { readonly atMs: number; readonly program: string }[];
}

/** The present on a clock that all processes of this machine share. */
export function wallMs(): number {
  return performance.timeOrigin + performance.now();
}

const SAMPLE_MS = 500;
const EXIT_MS = 30_000;
const STDERR_CHARS = 2_000;

/**
 * One `indus serve --stdio`, with a probe inside. It speaks the protocol directly: an SDK in between would add its own time.
 */
export class Gateway {
  readonly startedMs: number = performance.now();
  readonly #child: ChildProcess;
  readonly #reportFile: string;
  readonly #waiting = new Map<number, (message: Message) => void>();
  readonly #sampler: NodeJS.Timeout;
  #nextId = 1;
  #maxMemoryMb: number | undefined;
  #stderr = "";
  /** Whether a change was reported since the last listing. */
  #hasChanged = false;
  #onChanged: (() => void) | undefined;

  constructor({ indus, probe, file, stateFolder, reportFile }: GatewayOptions) {
    rmSync(reportFile, { force: true });
    this.#reportFile = reportFile;
    this.#child = spawn(process.execPath, ["--import", probe, indus, "serve", "--stdio", "--mcp", file], {
      env: { ...process.env, ...stateEnvironment(stateFolder), INDUS_FLEET_PROBE: reportFile },
      stdio: ["pipe", "pipe", "pipe"],
      // A process group of its own, as a terminal gives a command: Ctrl-C reaches the whole group.
      detached: process.platform !== "win32",
    });
    // Writing to a process that has ended fails; the end itself is what counts.
    this.#child.stdin?.on("error", () => {});
    this.#child.on("error", () => {});
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARS);
    });
    if (this.#child.stdout)
      createInterface({ input: this.#child.stdout }).on("line", (line) => this.#receive(line));
    this.#sampler = setInterval(() => this.#sample(), SAMPLE_MS);
    this.#child.once("exit", () => clearInterval(this.#sampler));
    this.#child.once("close", () => {
      const error = `indus has ended: ${this.#stderr.trim().split("\n").at(-1)}`;
      for (const settle of this.#waiting.values()) settle({ error });
      this.#waiting.clear();
    });
  }

  /** The most memory seen, with what was needed to start. Undefined where it cannot be measured. */
  get maxMemoryMb(): number | undefined {
    return this.#maxMemoryMb;
  }

  /** The signal that ended it, if it did not exit by itself. */
  get endSignal(): NodeJS.Signals | null {
    return this.#child.signalCode;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Sends a request and resolves with its result. Rejects on an error, and when the deadline passes. */
  request(
    method: string,
    params: object,
    deadlineMs: number,
  ): Promise<{ readonly [member: string]: unknown }> {
    const id = this.#nextId++;
    if (this.hasEnded) return Promise.reject(new Error(`${method}: indus has ended`));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${method}: no answer in ${deadlineMs} ms`)),
        deadlineMs,
      );
      this.#waiting.set(id, (message) => {
        clearTimeout(timer);
        if (message.result) resolve(message.result);
        else reject(new Error(`${method}: ${JSON.stringify(message.error)}`));
      });
      this.#send({ id, method, params });
    });
  }

  /** The handshake of a client with this name. Returns how long after the start it was answered. */
  async initialize(clientName: string): Promise<number> {
    const clientInfo = { name: clientName, version: "1.0.0" };
    await this.request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }, 60_000);
    const answeredMs = performance.now() - this.startedMs;
    this.#send({ method: "notifications/initialized" });
    return answeredMs;
  }

  /** The number of tools of mounted servers that are listed now. The names of native tools have no qualifier. */
  async countTools(deadlineMs = 120_000): Promise<number> {
    this.#hasChanged = false;
    const { tools } = await this.request("tools/list", {}, deadlineMs);
    const listed = Array.isArray(tools) ? (tools as { readonly name: string }[]) : [];
    return listed.filter(({ name }) => name.includes(QUALIFIER)).length;
  }

  /** Resolves when `indus` has reported a change of its tools since the last listing, or after a time. */
  async toolsChanged(withinMs: number): Promise<void> {
    if (this.#hasChanged) return;
    const { promise, resolve } = withTimer(withinMs);
    this.#onChanged = resolve;
    await promise;
  }

  /** Ctrl-C. */
  interrupt(): void {
    const { pid } = this.#child;
    if (pid === undefined || this.hasEnded) return;
    process.kill(CAN_INSPECT ? -pid : pid, "SIGINT");
  }

  /** Waits for the end and returns how long it took. Kills after a deadline. */
  async ended(): Promise<number> {
    const fromMs = performance.now();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), EXIT_MS);
    if (!this.hasEnded) await once(this.#child, "exit");
    clearTimeout(timer);
    return performance.now() - fromMs;
  }

  /** Closes its input, as a client does that has finished, and waits for the end. */
  async close(): Promise<void> {
    this.#child.stdin?.end();
    await this.ended();
  }

  /** Available after the end. Undefined if it was killed. */
  report(): ProbeReport | undefined {
    try {
      return JSON.parse(readFileSync(this.#reportFile, "utf8")) as ProbeReport;
    } catch {
      return undefined;
    }
  }

  #sample(): void {
    const { pid } = this.#child;
    const size = pid === undefined ? undefined : memoryMb([pid]);
    if (size !== undefined) this.#maxMemoryMb = Math.max(size, this.#maxMemoryMb ?? 0);
  }

  #send(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #receive(line: string): void {
    const message = JSON.parse(line) as Message;
    if (message.method === "notifications/tools/list_changed") {
      this.#hasChanged = true;
      this.#onChanged?.();
    }
    if (message.method !== undefined || message.id === undefined) return;
    this.#waiting.get(message.id)?.(message);
    this.#waiting.delete(message.id);
  }
}

/** A promise that a function resolves, at the latest after a time. */
function withTimer(withinMs: number): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    const timer = setTimeout(done, withinMs);
    resolve = () => {
      clearTimeout(timer);
      done();
    };
  });
  return { promise, resolve };
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: { readonly [member: string]: unknown };
  readonly error?: unknown;
}
