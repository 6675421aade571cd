import { type ChildProcess, spawn } from "node:child_process";
import { connect } from "node:net";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MARK_VARIABLE } from "../../fleet/scratch.ts";

export interface ProgramOptions {
  /** In the environment of the program and of what it starts, so that leftovers can be found. */
  readonly mark: string;
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
  /** What the program prints when it is ready. It matches the URL, or the URL is known anyway. */
  readonly ready: RegExp;
}

/** A program that runs until it is disposed of. */
export interface Program extends AsyncDisposable {
  /** The part of its output that shows that it is ready. */
  readonly ready: RegExpExecArray;
}

const START_MS = 60_000;
const END_MS = 10_000;
const OUTPUT_CHARS = 20_000;

/** Starts a program and waits until it is ready. Throws, with its last words, if it ends before. */
export async function startProgram(argv: readonly string[], options: ProgramOptions): Promise<Program> {
  const [command = "", ...args] = argv;
  const child = spawn(command, args, {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, ...options.env, [MARK_VARIABLE]: options.mark },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  child.on("error", () => {});
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-OUTPUT_CHARS);
    });
  const until = performance.now() + START_MS;
  for (let found = options.ready.exec(output); ; found = options.ready.exec(output)) {
    if (found) return { ready: found, [Symbol.asyncDispose]: () => end(child) };
    const hasEnded = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
    if (hasEnded || performance.now() > until) {
      await end(child);
      throw new Error(
        `${basename(args[0] ?? command)} did not start: ${output.trim().split("\n").slice(-3).join(" / ")}`,
      );
    }
    await sleep(20);
  }
}

/** Ends a program: the end of its input, SIGTERM, SIGKILL. */
async function end(child: ChildProcess): Promise<void> {
  const hasEnded = (): boolean =>
    child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  const ended = new Promise<void>((resolve) => void child.once("close", () => resolve()));
  child.stdin?.end();
  if (!hasEnded()) child.kill("SIGTERM");
  const killTimer = setTimeout(() => child.kill("SIGKILL"), END_MS);
  if (!hasEnded()) await ended;
  clearTimeout(killTimer);
}

/** Waits until a port of this machine accepts connections. Throws if it does not in time. */
export async function accepts(port: number): Promise<void> {
  for (const until = performance.now() + START_MS; performance.now() < until; await sleep(20)) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
  }
  throw new Error(`nothing listens on port ${port}`);
}
