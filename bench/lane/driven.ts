import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Relative to the script that runs, which is in the folder above. */
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** What a client starts. */
export interface StdioTarget {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Stands before each name of a tool. */
  readonly prefix?: string;
  /** Of the servers of a mount. */
  readonly count?: number;
}

type Action =
  | { readonly action: "connect" | "mount"; readonly target: StdioTarget }
  | { readonly action: "listed"; readonly target: StdioTarget; readonly count: number }
  | { readonly action: "median"; readonly calls: number }
  | { readonly action: "call"; readonly calls: number; readonly inFlight: number }
  | { readonly action: "list"; readonly times: number; readonly count: number }
  | { readonly action: "huge"; readonly bytes: number }
  | { readonly action: "close" };

interface Answered {
  readonly ms: number;
  readonly cpuMs: number;
  /** Of the process that the client started, if it tells. */
  readonly pid?: number;
  readonly failed?: string;
}

export interface DriveOptions {
  /** The file of the client. */
  readonly client: string;
  readonly driver?: string;
  readonly node?: string;
  /** Arguments of Node itself. */
  readonly nodeArgs?: readonly string[];
}

/** A client in its own process, which measures itself. */
export class Driven {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start({
    client,
    driver = here("lane/drive.mjs"),
    node = process.execPath,
    nodeArgs = [],
  }: DriveOptions): Promise<Driven> {
    const child = spawn(node, [...nodeArgs, driver, client], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const driven = new Driven(child);
    await driven.#answer();
    return driven;
  }

  async do(action: Action): Promise<Answered> {
    const answered = this.#answer();
    this.#child.send(action);
    return answered;
  }

  /** The process, for what it does on request besides. */
  get child(): ChildProcess {
    return this.#child;
  }

  /** Ends the process with everything that it started. */
  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = once(this.#child, "exit");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), CLOSE_MS);
    try {
      if (this.#child.connected) await this.do({ action: "close" });
    } catch {
      this.#child.kill();
    }
    await exited;
    clearTimeout(timer);
  }

  #answer(): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const ended = (): void => reject(new Error("a client of the bench ended without an answer"));
      this.#child.once("exit", ended);
      this.#child.once("message", (answered: Answered) => {
        this.#child.off("exit", ended);
        if (answered.failed === undefined) resolve(answered);
        else reject(new Error(answered.failed));
      });
    });
  }
}

const CLOSE_MS = 10_000;

/** The processor time of all threads of a process, in milliseconds. Not a number where the system does not tell. */
export function processorMs(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const ns = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
    );
    return ns.reduce((sum, each) => sum + each, 0) / 1e6;
  } catch {
    return Number.NaN;
  }
}
