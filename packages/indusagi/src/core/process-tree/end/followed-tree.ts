import type { ChildProcess } from "node:child_process";
import { availableParallelism } from "node:os";
import { settlesWithin } from "../../signals/settles-within.ts";
import type { TreeRecord } from "../members/process-identity.ts";
import type { ProcessTree, TreeEnd, TreeEndOptions, TreeExit, TreeOptions } from "../process-tree.ts";
import {
  createInputQueue,
  type DrainedOutput,
  drainOutput,
  type InputQueue,
} from "../start/process-streams.ts";
import { releaseTree } from "../watchdog/owned-trees.ts";
import { endTree } from "./end-tree.ts";
import type { TreeControl } from "./tree-control.ts";

const DRAIN_GRACE_MS = 100;
/** For output that still arrives after the last process has ended. */
const LAST_OUTPUT_MS = 1_000;
const END_GRACE_MS = 1_000;
/** Short grace period: nothing waits for leftover processes. */
const LEFTOVER_GRACE_MS = 200;
const MAX_QUEUED_INPUT_BYTES = 16 * 1024 * 1024;

interface FollowedTreeOptions {
  readonly record: TreeRecord;
  readonly control: TreeControl;
  readonly options: TreeOptions;
}

/** A started child, followed until no process of its tree is left. */
export class FollowedTree implements ProcessTree {
  readonly pid: number;
  readonly exited: Promise<TreeExit>;
  readonly gone: Promise<TreeEnd>;
  readonly write: ProcessTree["write"];
  readonly send: ProcessTree["send"];
  readonly #child: ChildProcess;
  readonly #record: TreeRecord;
  readonly #control: TreeControl;
  readonly #input: InputQueue;
  readonly #outputs: readonly DrainedOutput[];
  /** The run of `end`; resolves with the survivors. */
  #ending: Promise<readonly number[]> | undefined;

  constructor(
    child: ChildProcess & { readonly pid: number },
    { record, control, options }: FollowedTreeOptions,
  ) {
    this.pid = child.pid;
    this.#child = child;
    this.#record = record;
    this.#control = control;
    this.#input = createInputQueue(child.stdin, options.maxQueuedInputBytes ?? MAX_QUEUED_INPUT_BYTES);
    this.write = this.#input.write;
    this.send = this.#input.send;
    const stdout = drainOutput(child.stdout, options.onStdout);
    this.#outputs = [stdout, drainOutput(child.stderr, options.onStderr)];
    if (options.onStdoutEnd) void stdout.ended.then(options.onStdoutEnd);
    this.exited = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        record.rootExited = true;
        resolve({ code, signal });
      });
    });
    this.gone = this.#follow(options.drainGraceMs ?? DRAIN_GRACE_MS);
  }

  unref(): void {
    for (const handle of this.#handles()) handle.unref?.();
  }

  ref(): void {
    for (const handle of this.#handles()) handle.ref?.();
  }

  closeInput(): void {
    this.#input.close();
  }

  kill(signal: NodeJS.Signals = "SIGTERM"): void {
    this.#control.signal(this.#record, signal);
  }

  async end({ graceMs = END_GRACE_MS }: TreeEndOptions = {}): Promise<TreeEnd> {
    this.#ending ??= this.#runEnd(graceMs);
    const survivors = await this.#ending;
    if (survivors.length === 0) return this.gone;
    this.#closePipes();
    return { code: this.#child.exitCode, signal: this.#child.signalCode, survivors };
  }

  /** After the exit: reads the output, ends the remaining processes, then reads their last output. */
  async #follow(drainGraceMs: number): Promise<TreeEnd> {
    const outputRead = Promise.all(this.#outputs.map((output) => output.ended));
    const exit = await this.exited;
    await settlesWithin(outputRead, drainGraceMs);
    const survivors = await (this.#ending ?? endTree(this.#record, this.#control, LEFTOVER_GRACE_MS));
    // No process holds the pipes any more: they end as soon as the listener has read the rest.
    await settlesWithin(outputRead, LAST_OUTPUT_MS);
    this.#closePipes();
    if (survivors.length === 0) releaseTree(this.#record);
    return { ...exit, survivors };
  }

  async #runEnd(graceMs: number): Promise<readonly number[]> {
    if (this.#child.stdin) await endInTurn({ tell: () => this.#input.close(), exited: this.exited, graceMs });
    return endTree(this.#record, this.#control, graceMs);
  }

  /** What keeps our process running. The pipes are sockets, which their types do not say. */
  #handles(): readonly Partial<Pick<ChildProcess, "ref" | "unref">>[] {
    const { stdin, stdout, stderr } = this.#child;
    const pipes = [stdin, stdout, stderr] as readonly (Partial<Pick<ChildProcess, "ref" | "unref">> | null)[];
    return [this.#child, ...pipes.filter((pipe) => pipe !== null)];
  }

  #closePipes(): void {
    this.#input.destroy();
    for (const output of this.#outputs) output.destroy();
  }
}

/** Programs clean up when their input ends. If many did so at once, they would starve this process of CPU. */
export const ENDING_AT_ONCE: number = Math.max(12, 2 * availableParallelism());
/** A program that takes longer than this does not delay the others. */
const TURN_MS = 100;

interface EndingProgram {
  /** Tells it to end. */
  readonly tell: () => void;
  readonly exited: Promise<unknown>;
  /** How long it may take. */
  readonly graceMs: number;
}

let running = 0;
const waiting: (() => void)[] = [];

/** Tells a program to end when its turn comes. Resolves when it has exited or its time is up. */
export async function endInTurn({ tell, exited, graceMs }: EndingProgram): Promise<void> {
  if (running < ENDING_AT_ONCE) running += 1;
  else await new Promise<void>((resolve) => void waiting.push(resolve));
  tell();
  const turnMs = Math.min(TURN_MS, graceMs);
  const hasEnded = await settlesWithin(exited, turnMs);
  // The turn is handed over directly, so a program that arrives meanwhile cannot take it.
  const next = waiting.shift();
  if (next) next();
  else running -= 1;
  if (!hasEnded) await settlesWithin(exited, graceMs - turnMs);
}
