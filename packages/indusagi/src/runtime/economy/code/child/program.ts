import { setFlagsFromString } from "node:v8";
import base from "@jitl/quickjs-wasmfile-release-sync";
import wasm from "@jitl/quickjs-wasmfile-release-sync/wasm";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
} from "quickjs-emscripten-core";
import { type Frame, type FrameHead, FrameReader, frameBytes } from "../frames.ts";
import { MAX_TO_PROGRAM, type ProgramLimits } from "../limits.ts";
import { GUEST_SOURCE } from "./guest-source.ts";
import { type PlainProgram, stripTypes } from "./strip-types.ts";

/**
 * The process that runs programs of models, one after the other, each in an instance of QuickJS of its own. It reads programs and
 * answers of tools from its standard input and writes calls and results to its standard output. When the input ends, it exits.
 */
async function serve(): Promise<void> {
  setFlagsFromString(`--wasm-tiering-budget=${OPTIMIZED_AFTER}`);
  const compiled = await WebAssembly.compile(wasm);
  let ready = newMachine(compiled);
  let running: RunningProgram | undefined;
  const reader = new FrameReader(MAX_TO_PROGRAM);
  const take = async (frames: readonly Frame[]): Promise<void> => {
    const next = frames.find(({ head }) => head.type === "run");
    const answers = frames.filter(({ head }) => head.type === "answer");
    if (answers.length > 0) running?.answer(answers);
    const stop = frames.find(({ head }) => head.type === "stop");
    if (stop) running?.stop(Buffer.from(stop.text).toString());
    if (!next) return;
    const { text } = next;
    const machine = await ready;
    const program = JSON.parse(Buffer.from(text).toString()) as ProgramText;
    running = new RunningProgram(machine, program, () => {
      running = undefined;
      // Prepared while nobody waits: it takes longer than many a program.
      ready = newMachine(compiled);
      void ready.then(() => {
        machine.discard();
        tell({ type: "ready", heldBytes: machine.heldBytes() });
      });
    });
    running.start();
  };
  let order = Promise.resolve();
  process.stdin.on("data", (chunk: Buffer) => {
    const frames = [...reader.read(chunk)];
    if (frames.length > 0) order = order.then(() => take(frames));
  });
  process.stdin.on("end", () => process.exit());
  await ready;
  tell({ type: "ready" });
}

/**
 * How much of a function of QuickJS runs before V8 optimizes it, in bytes. By default a program of three lines is enough to optimize the
 * whole interpreter, which takes 0.1 s of processor time; a loop of a million rounds still gets it.
 */
const OPTIMIZED_AFTER = 100_000_000;

let outgoing: Buffer[] = [];

/** Messages of one turn are one write: calls that a program makes at once arrive at once. */
function tell(head: FrameHead, text?: string): void {
  outgoing.push(frameBytes(head, text));
  if (outgoing.length === 1) process.nextTick(flush);
}

function flush(): void {
  if (outgoing.length === 0) return;
  process.stdout.write(outgoing.length === 1 ? (outgoing[0] as Buffer) : Buffer.concat(outgoing));
  outgoing = [];
}

/** An instance of QuickJS in which nothing has run yet but the names that programs use. */
interface Machine {
  readonly runtime: QuickJSRuntime;
  readonly context: QuickJSContext;
  /** The ways in: the members that `GUEST_SOURCE` returns. */
  readonly guest: { readonly [name in "define" | "start" | "settle" | "fire"]: QuickJSHandle };
  /** Who gets what comes out. */
  owner: RunningProgram | undefined;
  heldBytes(): number;
  discard(): void;
}

const PAGE = 64 * 1024;
/** What QuickJS may take in all, whatever the limit of a program. */
const MACHINE_BYTES = 128 * 1024 * 1024;
/** More than this the stack of the machine itself does not hold. */
const STACK_BYTES = 192 * 1024;

/** The bundle has its ES module, whose types the library does not declare. */
const VARIANT = base as unknown as Parameters<typeof newVariant<QuickJSSyncVariant>>[0];

async function newMachine(compiled: WebAssembly.Module): Promise<Machine> {
  const memory = new WebAssembly.Memory({
    initial: (16 * 1024 * 1024) / PAGE,
    maximum: MACHINE_BYTES / PAGE,
  });
  const library = await newQuickJSWASMModuleFromVariant(
    newVariant(VARIANT, { wasmModule: compiled, wasmMemory: memory }),
  );
  const runtime = library.newRuntime();
  runtime.setMaxStackSize(STACK_BYTES);
  const context = runtime.newContext();
  const way = (name: string, pass: (owner: RunningProgram, given: Given) => string): QuickJSHandle =>
    context.newFunction(name, (...handles) => {
      const given: Given = {
        text: (at) => context.getString(handles[at] as QuickJSHandle),
        number: (at) => context.getNumber(handles[at] as QuickJSHandle),
      };
      return context.newString(machine.owner ? pass(machine.owner, given) : "the program has ended");
    });
  const made = context.unwrapResult(context.evalCode(GUEST_SOURCE, "indus.js"));
  const ways = [
    way("send", (owner, { number, text }) => owner.send(number(0), text(1), text(2), () => text(3))),
    way("log", (owner, { text }) => owner.log(() => text(0))),
    way("wake", (owner, { number }) => owner.wake(number(0), number(1))),
    way("done", (owner, { text }) => owner.done(text(0), () => text(1))),
  ];
  const members = context.unwrapResult(context.callFunction(made, context.undefined, ...ways));
  const member = (name: string): QuickJSHandle => context.getProp(members, name);
  const machine: Machine = {
    runtime,
    context,
    guest: {
      define: member("define"),
      start: member("start"),
      settle: member("settle"),
      fire: member("fire"),
    },
    owner: undefined,
    heldBytes: () => memory.buffer.byteLength,
    // The instance is left to the garbage collector: to free a program's objects one by one takes longer.
    discard: () => void (machine.owner = undefined),
  };
  return machine;
}

/** The arguments of a way out. */
interface Given {
  readonly text: (at: number) => string;
  readonly number: (at: number) => number;
}

/** The first message of a program. */
export interface ProgramText {
  readonly code: string;
  /** The names of the servers, as the program uses them. */
  readonly namespaces: readonly string[];
  readonly limits: ProgramLimits;
}

interface QueuedCall {
  readonly head: FrameHead;
  readonly text: string;
}

class RunningProgram {
  readonly #machine: Machine;
  readonly #program: ProgramText;
  readonly #limits: ProgramLimits;
  readonly #onEnd: () => void;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #queue: QueuedCall[] = [];
  readonly #startUse = process.cpuUsage();
  #plain: PlainProgram | undefined;
  #inFlight = 0;
  #calls = 0;
  #queuedChars = 0;
  #lines: string[] = [];
  #logChars = 0;
  #isOver = false;
  #hasEnded = false;

  constructor(machine: Machine, program: ProgramText, onEnd: () => void) {
    this.#machine = machine;
    this.#program = program;
    this.#limits = program.limits;
    this.#onEnd = onEnd;
    machine.owner = this;
    machine.runtime.setMemoryLimit(program.limits.memoryBytes);
    machine.runtime.setInterruptHandler(() => this.#isExhausted());
  }

  start(): void {
    const { code, namespaces } = this.#program;
    this.#enter(() => {
      const { context, guest } = this.#machine;
      this.#plain = stripTypes(code);
      this.#call(guest.define, context.newString(JSON.stringify(namespaces)));
      const program = context.evalCode(this.#plain.code, PROGRAM);
      if (program.error) throw guestError(context.dump(program.error));
      this.#call(guest.start, program.value);
    });
  }

  /** Takes the answers of calls. */
  answer(answers: readonly Frame[]): void {
    this.#inFlight -= answers.length;
    this.#pump();
    this.#enter(() => {
      const { context, guest } = this.#machine;
      for (const { head, text } of answers)
        this.#call(
          guest.settle,
          context.newNumber(head["id"] as number),
          context.newString(head["kind"] as string),
          context.newString(Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString()),
        );
    });
  }

  /** Ends the program from outside, with what it has printed. */
  stop(message: string): void {
    this.#failed({ name: "Error", message, stack: "" });
  }

  send(id: number, server: string, name: string, input: () => string): string {
    if (this.#calls >= this.#limits.calls) return `a program may make at most ${this.#limits.calls} calls`;
    const text = input();
    if (text.length > this.#limits.argumentChars)
      return `the arguments have ${text.length} characters; at most ${this.#limits.argumentChars} are allowed`;
    if (this.#queuedChars + text.length > this.#limits.queuedChars)
      return "the arguments of the waiting calls are too large; await some of the calls first";
    this.#calls += 1;
    this.#queuedChars += text.length;
    this.#queue.push({
      head: { type: "call", id, server: server.slice(0, MAX_NAME), name: name.slice(0, MAX_NAME) },
      text,
    });
    this.#pump();
    return "";
  }

  log(line: () => string): string {
    const whole = line();
    const text = whole.slice(0, Math.max(0, this.#limits.logChars - this.#logChars));
    this.#logChars += whole.length + 1;
    this.#lines.push(text);
    return this.#logChars > this.#limits.logChars ? "no more lines are kept" : "";
  }

  wake(id: number, ms: number): string {
    if (this.#timers.size >= this.#limits.timers)
      return `at most ${this.#limits.timers} timers may wait at the same time`;
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        this.#enter(() => this.#call(this.#machine.guest.fire, this.#machine.context.newNumber(id)));
      },
      Math.min(Math.max(0, ms), this.#limits.totalMs),
    );
    this.#timers.add(timer);
    return "";
  }

  done(kind: string, text: () => string): string {
    if (kind !== "error") this.#end({ type: "end", kind }, text());
    else this.#failed(JSON.parse(text()) as GuestError);
    return "";
  }

  /** Calls are sent as far as the limit allows; the others wait here. */
  #pump(): void {
    while (this.#inFlight < this.#limits.callsInFlight && !this.#hasEnded) {
      const next = this.#queue.shift();
      if (!next) return;
      this.#inFlight += 1;
      this.#queuedChars -= next.text.length;
      tell(next.head, next.text);
    }
  }

  /** Runs code of the guest, then what is due because of it. */
  #enter(run: () => void): void {
    if (this.#hasEnded) return;
    try {
      run();
      const { runtime, context } = this.#machine;
      while (!this.#hasEnded) {
        const jobs = runtime.executePendingJobs(JOBS_AT_ONCE);
        if (jobs.error) context.dump(jobs.error);
        else if (jobs.value < JOBS_AT_ONCE) break;
        this.#isExhausted();
      }
      if (!this.#hasEnded) this.#await();
    } catch (thrown) {
      this.#failed(asGuestError(thrown));
    }
  }

  /** Nothing runs until an answer or a timer comes. Without one the program would wait for ever. */
  #await(): void {
    if (this.#inFlight > 0 || this.#timers.size > 0) return tell({ type: "idle" });
    this.#failed({
      name: "Error",
      message: "the program waits for a promise that nothing can resolve",
      stack: "",
    });
  }

  #call(way: QuickJSHandle, ...given: QuickJSHandle[]): void {
    const { context } = this.#machine;
    const result = context.callFunction(way, context.undefined, ...given);
    for (const handle of given) handle.dispose();
    if (result.error) throw guestError(context.dump(result.error));
    result.value.dispose();
  }

  /** Called by QuickJS every few thousand steps. */
  #isExhausted(): boolean {
    if (this.#hasEnded) return true;
    const { user, system } = process.cpuUsage(this.#startUse);
    this.#isOver ||= user + system > this.#limits.processorMs * 1_000;
    // At once: a promise takes the interruption for an error of its own, and the program would go on.
    if (this.#isOver) this.#exhausted();
    return this.#isOver;
  }

  #exhausted(): void {
    const seconds = this.#limits.processorMs / 1_000;
    this.#failed({
      name: "Error",
      message: `the program used more than ${seconds} s of processor time`,
      stack: "",
    });
  }

  #failed({ name, message, stack, place, tool }: GuestError): void {
    const [, line, column] = OWN_FRAME.exec(stack) ?? [];
    const own = place ?? (line && this.#plain?.place(Number(line), Number(column)));
    const error = {
      name: name.slice(0, 200),
      message: message.slice(0, MAX_MESSAGE),
      ...(own && { line: own.line, column: own.column }),
      ...(typeof tool === "string" && { tool: tool.slice(0, 400) }),
    };
    this.#end({ type: "end", kind: "error" }, JSON.stringify(error));
  }

  #end(head: FrameHead, text: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const timer of this.#timers) clearTimeout(timer);
    const isTooLong = Buffer.byteLength(text) > this.#limits.valueBytes;
    const logs = this.#lines.join("\n");
    const isLogCut = this.#logChars > this.#limits.logChars;
    const told = {
      isLogCut,
      isLost: this.#isOver,
      logBytes: Buffer.byteLength(logs),
      unawaited: this.#inFlight,
    };
    if (isTooLong) tell({ type: "end", kind: "tooLong", ...told, length: Buffer.byteLength(text) }, logs);
    else tell({ ...head, ...told }, logs + text);
    // Now: what interrupted the program may still have to unwind.
    flush();
    this.#onEnd();
  }
}

const PROGRAM = "program.js";
const MAX_MESSAGE = 4_000;
const MAX_NAME = 200;
const OWN_FRAME = /\(?program\.js:(\d+):(\d+)\)?/;
const JOBS_AT_ONCE = 1_000;

interface GuestError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly tool?: unknown;
  readonly place?: { readonly line: number; readonly column: number } | undefined;
}

/** An error that the guest threw where nothing of it could catch it. */
function guestError(dumped: unknown): Error {
  const {
    name = "Error",
    message,
    stack = "",
  } = (
    typeof dumped === "object" && dumped !== null ? dumped : { message: String(dumped) }
  ) as Partial<GuestError>;
  return Object.assign(new Error(message), { name, stack });
}

function asGuestError(thrown: unknown): GuestError {
  const { name, message, stack, place } = thrown as GuestError;
  // The program has used up the stack of the machine itself.
  if (thrown instanceof RangeError || thrown instanceof WebAssembly.RuntimeError)
    return { name: "InternalError", message: "the program used up its stack or its memory", stack: "" };
  return { name, message, stack, place };
}

void serve();
