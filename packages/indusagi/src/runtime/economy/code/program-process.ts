import { readFileSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describeError, describeExit, type ProcessTree, startTree } from "../../../core/index.ts";
import { readProcessorUse } from "../../../core/internal.ts";
import { Confinement } from "./confinement.ts";
import { type Frame, type FrameHead, FrameReader, frameBytes } from "./frames.ts";
import { MAX_FROM_PROGRAM, MAX_TO_PROGRAM, type ProgramLimits } from "./limits.ts";

/** What a program runs with. */
export interface ProgramRequest {
  readonly code: string;
  /** The names of the servers, as the program uses them. */
  readonly namespaces: readonly string[];
  readonly limits: ProgramLimits;
  /** Runs a call of the program. Never rejects. The signal aborts when the program has ended. */
  readonly onCall: (call: ProgramCall, signal: AbortSignal) => Promise<ProgramAnswer>;
}

/** A call, with the names that the program uses. */
export interface ProgramCall {
  readonly server: string;
  readonly name: string;
  /** JSON. */
  readonly input: string;
}

/**
 * What a call resolves with: `text` as it is, `json` parsed. `typed` and `blocks` are the result of a server as received, of which the
 * program gets the structured content or else the content. With `failed` the call throws; the text is JSON with the message.
 */
export interface ProgramAnswer {
  readonly kind: "text" | "json" | "typed" | "blocks" | "failed";
  readonly text: string | Uint8Array;
}

/** How a program ended. */
export interface ProgramEnd {
  readonly kind: "none" | "text" | "json" | "tooLong" | "error";
  /** What it returned. */
  readonly value: string;
  /** Its `console` output. */
  readonly log: string;
  /** Whether there were more lines. */
  readonly isLogCut: boolean;
  /** Calls that it did not wait for. */
  readonly unawaited: number;
  /** How long what it returned was, if that is too long. */
  readonly length?: number | undefined;
  readonly error?: ProgramError | undefined;
  /** The process ended before the program called anything: it can be run again. */
  readonly isUnstarted?: boolean | undefined;
}

/** Why a program failed, and where in the model's own code. Lines and columns count from 1. */
interface ProgramError {
  readonly name: string;
  readonly message: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly tool?: string | undefined;
}

/** The file that the build makes of `child/program.ts`; tests run from source use the build too. */
const PROGRAM_FILE = import.meta.url.endsWith(".ts")
  ? "../../../../dist/program/program.cjs"
  : "../program/program.cjs";

/** Most programs of a machine start within 0.2 s. */
const START_MS = 30_000;
const WATCH_MS = 250;
/** Without an answer for this long, the process itself does not keep the limit any more. */
const GRACE_MS = 5_000;
/** In which a program that is told to end does so. */
const STOP_MS = 500;
/** The kernel counts processor time in hundredths of a second. */
const TICK_MS = 10;
/** A program that needed more leaves memory behind that the process does not give back soon. */
const MAX_HELD_BYTES = 48 * 1024 * 1024;

/** A process that runs programs, one after the other. */
export class ProgramProcess {
  readonly #tree: ProcessTree;
  readonly #reader = new FrameReader(MAX_FROM_PROGRAM);
  #running: Running | undefined;
  #isReady = false;
  #onReady: () => void = () => {};
  #isEnded = false;
  #outgoing: Buffer[] = [];
  /** The memory of a process with no program, at most. */
  #heldBytes = 0;

  private constructor(tree: ProcessTree) {
    this.#tree = tree;
    void tree.exited.then(({ code, signal }) =>
      this.#lost(`its process ended (${describeExit({ code, ...(signal && { signal }) })})`),
    );
  }

  /** Starts one, in bubblewrap where that works. Rejects if it cannot be started; where bubblewrap has worked, also if that fails. */
  static async start(): Promise<ProgramProcess> {
    for (;;) {
      const launch = programLaunch();
      try {
        const process = await ProgramProcess.#startAs(launch);
        if (launch.isConfined) confinement.worked();
        return process;
      } catch (thrown) {
        if (!launch.isConfined || !confinement.failed()) throw thrown;
      }
    }
  }

  static async #startAs({ command, args }: Launch): Promise<ProgramProcess> {
    let process: ProgramProcess | undefined;
    const early: Buffer[] = [];
    const tree = await startTree(command, args, {
      cwd: "/",
      env: PROGRAM_ENV,
      stdin: "pipe",
      maxQueuedInputBytes: 4 * MAX_TO_PROGRAM,
      onStdout: (chunk) => (process ? process.#read(chunk) : void early.push(chunk)),
    });
    process = new ProgramProcess(tree);
    for (const chunk of early) process.#read(chunk);
    await process.#ready();
    return process;
  }

  /** Whether it can run another program. */
  get isUsable(): boolean {
    return !this.#isEnded && this.#heldBytes <= MAX_HELD_BYTES;
  }

  /** Whether it keeps our own process running. */
  hold(isHeld: boolean): void {
    if (isHeld) this.#tree.ref();
    else this.#tree.unref();
  }

  /** Runs a program to its end. The signal ends it, and the process with it. */
  async run(request: ProgramRequest, clock: ProgramClock, signal: AbortSignal): Promise<ProgramEnd> {
    try {
      await this.#ready();
    } catch (thrown) {
      // It has run another program, and was killed before it had prepared for this one.
      const error = { name: "Error", message: describeError(thrown) };
      return { ...NO_END, kind: "error", error, isUnstarted: true };
    }
    this.#isReady = false;
    const { code, namespaces, limits } = request;
    return new Promise((resolve) => {
      const running = new Running(request, {
        write: (head, text) => this.#write(head, text),
        end: (end, isLost) => {
          stop();
          this.#running = undefined;
          // The program may still be running.
          if (isLost) this.end();
          resolve(end);
        },
      });
      const fail = (message: string): void => this.#fail(running, message);
      let last: NodeJS.Timeout | undefined;
      const stops = [
        this.#watch(running, limits, fail),
        clock.start(limits.totalMs, () => {
          // A program that waits still tells what it has printed; one that loops is killed.
          this.#write({ type: "stop" }, timeUp(limits));
          last = setTimeout(() => fail(timeUp(limits)), STOP_MS);
        }),
      ];
      const onAbort = (): void => fail("it was cancelled");
      signal.addEventListener("abort", onAbort, { once: true });
      const stop = (): void => {
        for (const each of stops) each();
        clearTimeout(last);
        signal.removeEventListener("abort", onAbort);
      };
      this.#running = running;
      if (signal.aborted) return onAbort();
      if (this.#isEnded) return fail("its process ended");
      running.touch();
      this.#write({ type: "run" }, JSON.stringify({ code, namespaces, limits }));
    });
  }

  /** Ends it at once. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#tree.kill("SIGKILL");
    void this.#tree.end({ graceMs: 0 });
    this.#onReady();
  }

  /** Answers of one turn are one write. */
  #write(head: FrameHead, text?: string | Uint8Array): void {
    this.#outgoing.push(frameBytes(head, text));
    if (this.#outgoing.length === 1) process.nextTick(this.#flush);
  }

  readonly #flush = (): void => {
    const bytes = this.#outgoing.length === 1 ? (this.#outgoing[0] as Buffer) : Buffer.concat(this.#outgoing);
    this.#outgoing = [];
    if (this.#isEnded) return;
    this.#tree.send(bytes, (failure) => {
      if (failure) this.#lost("its process takes no more input");
    });
  };

  #read(chunk: Buffer): void {
    try {
      for (const frame of this.#reader.read(chunk)) this.#take(frame);
    } catch {
      this.#lost("its process sent something unreadable");
    }
  }

  #take(frame: Frame): void {
    const { head } = frame;
    if (head.type !== "ready") return this.#running?.take(frame);
    this.#isReady = true;
    this.#heldBytes = Math.max(this.#heldBytes, Number(head["heldBytes"] ?? 0));
    this.#onReady();
  }

  /** Waits until it has prepared for the next program. */
  async #ready(): Promise<void> {
    if (this.#isReady) return;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.end();
        reject(new Error(`the process for programs did not start within ${START_MS / 1_000} s`));
      }, START_MS);
      this.#onReady = () => {
        clearTimeout(timer);
        if (this.#isReady) resolve();
        else reject(new Error("the process for programs ended before it was ready"));
      };
      if (this.#isEnded) this.#onReady();
    });
  }

  /** Limits as seen from outside: what runs inside may no longer be what we started. */
  #watch(running: Running, limits: ProgramLimits, fail: (message: string) => void): () => void {
    const { pid } = this.#tree;
    let startTicks = 0;
    // When the program is sent: this takes as long as a short program.
    const start = setImmediate(() => (startTicks = useOf(pid)?.ticks ?? 0));
    const timer = setInterval(() => {
      const use = useOf(pid);
      if (use && (use.ticks - startTicks) * TICK_MS > limits.processorMs + GRACE_MS)
        fail(processorUp(limits));
      else if (!use && running.busyMs() > limits.processorMs * 3 + GRACE_MS) fail(processorUp(limits));
      else if (use && use.bytes > limits.processBytes)
        fail(`the program used more than ${Math.round(limits.processBytes / 1_048_576)} MiB of memory`);
    }, WATCH_MS);
    return () => {
      clearImmediate(start);
      clearInterval(timer);
    };
  }

  #fail(running: Running, message: string): void {
    this.end();
    running.fail(message);
  }

  #lost(message: string): void {
    const running = this.#running;
    this.end();
    running?.fail(`the program did not end: ${message}`, true);
  }
}

function timeUp({ totalMs }: ProgramLimits): string {
  return `the program did not end within ${totalMs / 1_000} s`;
}

function processorUp({ processorMs }: ProgramLimits): string {
  return `the program used more than ${processorMs / 1_000} s of processor time`;
}

interface RunningWays {
  readonly write: (head: FrameHead, text?: string | Uint8Array) => void;
  readonly end: (end: ProgramEnd, isLost: boolean) => void;
}

/** One program, as its parent sees it. */
class Running {
  readonly #request: ProgramRequest;
  readonly #ways: RunningWays;
  readonly #abort = new AbortController();
  #calls = 0;
  #inFlight = 0;
  #busySinceMs: number | undefined;
  #isOver = false;

  constructor(request: ProgramRequest, ways: RunningWays) {
    this.#request = request;
    this.#ways = ways;
  }

  /** The process has something to do from now on. */
  touch(): void {
    this.#busySinceMs ??= performance.now();
  }

  /** For how long it has had something to do. */
  busyMs(): number {
    return this.#busySinceMs === undefined ? 0 : performance.now() - this.#busySinceMs;
  }

  take({ head, text }: Frame): void {
    if (head.type === "call") return this.#call(head, text);
    if (head.type === "end") return this.#ended(head, text);
    // Our own answers may be on their way.
    if (head.type === "idle") this.#busySinceMs = undefined;
    else throw new Error("an unknown message");
  }

  fail(message: string, isProcessLost = false): void {
    const error = { name: "Error", message };
    this.#over({ ...NO_END, kind: "error", error, isUnstarted: isProcessLost && this.#calls === 0 });
  }

  #call({ id, server, name }: FrameHead, text: Uint8Array): void {
    const { limits, onCall } = this.#request;
    this.#calls += 1;
    this.#inFlight += 1;
    const isCall = typeof id === "number" && typeof server === "string" && typeof name === "string";
    if (!isCall || this.#calls > limits.calls || this.#inFlight > limits.callsInFlight)
      throw new Error("a call beyond the limits");
    void onCall({ server, name, input: textOf(text) }, this.#abort.signal).then((answer) => {
      this.#inFlight -= 1;
      if (this.#isOver) return;
      this.touch();
      this.#ways.write({ type: "answer", id, kind: answer.kind }, answer.text);
    });
  }

  #ended(head: FrameHead, text: Uint8Array): void {
    const logBytes = numberIn(head, "logBytes");
    const kind = KINDS.find((each) => each === head["kind"]);
    if (!kind) throw new Error("an unknown end");
    const value = textOf(text.subarray(logBytes));
    const ended: ProgramEnd = {
      kind,
      value: kind === "error" ? "" : value,
      log: textOf(text.subarray(0, logBytes)),
      isLogCut: head["isLogCut"] === true,
      unawaited: numberIn(head, "unawaited"),
      length: kind === "tooLong" ? numberIn(head, "length") : undefined,
      error: kind === "error" ? (JSON.parse(value) as ProgramError) : undefined,
    };
    this.#over(ended, head["isLost"] === true);
  }

  #over(end: ProgramEnd, isLost = true): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#abort.abort(new Error("the program has ended"));
    this.#ways.end(end, isLost);
  }
}

const KINDS = ["none", "text", "json", "tooLong", "error"] as const;
const NO_END = { value: "", log: "", isLogCut: false, unawaited: 0 };

function numberIn(head: FrameHead, member: string): number {
  const value = head[member];
  return typeof value === "number" && value >= 0 ? value : 0;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

/** The time that a program may take. It stops while a question of the program is open. */
export class ProgramClock {
  #leftMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #sinceMs = 0;
  #questions = 0;
  #onEnd: () => void = () => {};
  #onPause: (isPaused: boolean) => void;

  constructor(onPause: (isPaused: boolean) => void = () => {}) {
    this.#onPause = onPause;
  }

  /** Returns a function that stops it. */
  start(ms: number, onEnd: () => void): () => void {
    this.#leftMs = ms;
    this.#onEnd = onEnd;
    if (this.#questions === 0) this.#go();
    return () => {
      clearTimeout(this.#timer);
      this.#onEnd = () => {};
    };
  }

  /** Waits for an answer without counting the time. */
  async pauseFor<T>(answer: Promise<T>): Promise<T> {
    this.#questions += 1;
    if (this.#questions === 1) {
      clearTimeout(this.#timer);
      this.#leftMs -= performance.now() - this.#sinceMs;
      this.#onPause(true);
    }
    try {
      return await answer;
    } finally {
      this.#questions -= 1;
      if (this.#questions === 0) {
        this.#onPause(false);
        this.#go();
      }
    }
  }

  #go(): void {
    this.#sinceMs = performance.now();
    this.#timer = setTimeout(() => this.#onEnd(), Math.max(0, this.#leftMs));
  }
}

interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly isConfined: boolean;
}

/** Node needs this variable on Windows; nothing else of our environment reaches a program. */
const PROGRAM_ENV = process.platform === "win32" ? { SystemRoot: process.env["SystemRoot"] } : {};
const NODE_FLAGS = ["--max-old-space-size=192", "--no-addons", "--disallow-code-generation-from-strings"];
/** Not searched for in `PATH`: a project must not bring its own. */
const BUBBLEWRAP = [
  "/usr/bin/bwrap",
  "/bin/bwrap",
  "/usr/local/bin/bwrap",
  "/run/current-system/sw/bin/bwrap",
];
/** Where Node's libraries are. */
const LIBRARIES = [
  "/lib",
  "/lib64",
  "/usr/lib",
  "/usr/lib64",
  "/usr/local/lib",
  "/nix/store",
  "/etc/ld.so.cache",
];

const confinement = new Confinement();

function programLaunch(): Launch {
  const program = fileURLToPath(new URL(PROGRAM_FILE, import.meta.url));
  const node = process.execPath;
  const isTried = process.platform === "linux" && confinement.isTried;
  const bubblewrap = isTried ? BUBBLEWRAP.find(exists) : undefined;
  if (bubblewrap === undefined) return { command: node, args: [...NODE_FLAGS, program], isConfined: false };
  const real = realpathSync(node);
  const args = [
    ...["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"],
    ...LIBRARIES.flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--ro-bind", real, "/node", "--ro-bind", program, "/program.cjs", "--chdir", "/"],
    ...["--", "/node", ...NODE_FLAGS, "/program.cjs"],
  ];
  return { command: bubblewrap, args, isConfined: true };
}

function exists(path: string): boolean {
  try {
    realpathSync(path);
    return true;
  } catch {
    return false;
  }
}

/** The processor time and the memory of a process and its descendants. Linux only. */
function useOf(pid: number): { readonly ticks: number; readonly bytes: number } | undefined {
  if (process.platform !== "linux") return undefined;
  let bytes = 0;
  const use = readProcessorUse(pid, (each) => {
    bytes += residentBytes(each);
  });
  return use && { ticks: use.ticks, bytes };
}

function residentBytes(pid: number | string): number {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    return Number(kilobytes ?? 0) * 1_024;
  } catch {
    return 0; // It has ended.
  }
}
