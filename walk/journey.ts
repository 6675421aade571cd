import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

/** What a journey ran through, of our own code. */
export interface Walk {
  readonly files: number;
  readonly functions: number;
  readonly folders: number;
  /** `file:function`, sorted. */
  readonly steps: readonly string[];
}

const root = fileURLToPath(new URL("../", import.meta.url));
const MAIN = join(root, "packages/induscode/src/bin/main.ts");
const PROBE = pathToFileURL(join(root, "walk/probe.mjs")).href;
const WAIT_MS = 30_000;

/** One of our commands, run from its sources, in a folder of its own, whose called functions are counted. */
export class Journey implements AsyncDisposable {
  readonly folder: string = mkdtempSync(join(tmpdir(), "indus-walk-"));
  readonly #file = join(this.folder, "walk.json");
  #child: ChildProcess | undefined;
  #output = "";

  start(args: readonly string[], env: Record<string, string> = {}): void {
    const { NODE_EXTRA_CA_CERTS: _slow, ...rest } = process.env;
    const own = {
      XDG_STATE_HOME: this.folder,
      XDG_CONFIG_HOME: this.folder,
      HOME: this.folder,
      INDUS_WALK: this.#file,
    };
    this.#child = spawn(process.execPath, ["--conditions=@indus/source", "--import", PROBE, MAIN, ...args], {
      cwd: this.folder,
      env: { ...rest, ...own, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const keep = (chunk: Buffer): void => void (this.#output += String(chunk));
    this.#child.stdout?.on("data", keep);
    this.#child.stderr?.on("data", keep);
  }

  /** Resolves to what a pattern finds in the output. */
  async printed(pattern: RegExp): Promise<string> {
    await this.until(() => pattern.test(this.#output), `it printed ${pattern}`);
    return pattern.exec(this.#output)?.[0] ?? "";
  }

  async until(isDone: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const end = Date.now() + WAIT_MS;
    while (!(await isDone())) {
      if (Date.now() > end) throw new Error(`waited in vain until ${what}; it printed:\n${this.#output}`);
      await sleep(20);
    }
  }

  /** From now on functions are counted. */
  async begin(): Promise<void> {
    this.#child?.kill("SIGUSR2");
    await this.until(() => existsSync(`${this.#file}.begun`), "counting began");
  }

  /** Ends the counting while the process goes on. */
  async end(): Promise<Walk> {
    this.#child?.kill("SIGUSR2");
    await this.until(() => existsSync(this.#file), "the functions were written");
    await sleep(50); // The file is written in one step, but may not be complete yet.
    return walkOf(readFileSync(this.#file, "utf8"));
  }

  /** Waits for the exit, which ends the counting. */
  async exit(): Promise<Walk> {
    const child = this.#child;
    if (child && child.exitCode === null)
      await once(child, "close", { signal: AbortSignal.timeout(WAIT_MS) });
    if (child?.exitCode !== 0)
      throw new Error(`it ended with ${child?.exitCode ?? child?.signalCode}:\n${this.#output}`);
    return walkOf(readFileSync(this.#file, "utf8"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const child = this.#child;
    if (child && child.exitCode === null && child.signalCode === null) {
      child.kill("SIGTERM");
      await once(child, "close", { signal: AbortSignal.timeout(WAIT_MS) }).catch(() => child.kill("SIGKILL"));
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

interface CalledFunction {
  readonly url: string;
  readonly name: string;
  readonly at: number;
}

function walkOf(text: string): Walk {
  const packages = pathToFileURL(join(root, "packages/")).href;
  const own = (JSON.parse(text) as CalledFunction[])
    .filter(({ url }) => url.startsWith(packages) && url.endsWith(".ts"))
    .map(({ url, ...rest }) => ({ ...rest, file: url.slice(packages.length) }));
  const files = new Set(own.map(({ file }) => file));
  const folders = new Set([...files].map((file) => file.slice(0, file.lastIndexOf("/"))));
  // A function without a name is known by its place.
  const steps = new Set(own.map(({ file, name, at }) => `${file}:${name === "" ? `@${at}` : name}@${at}`));
  return { files: files.size, functions: steps.size, folders: folders.size, steps: [...steps].sort() };
}
