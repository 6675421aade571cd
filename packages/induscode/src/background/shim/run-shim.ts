import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import type { Readable } from "node:stream";
import {
  buildOf,
  clientPlace,
  controlLine,
  type Dialled,
  dial,
  ENDED_BY_USER,
  type GatewayPlace,
  gatewayPlaces,
  isInOurTree,
  isSharingOff,
  LineCutter,
  LineWriter,
  livePlace,
  readControl,
  type Screen,
} from "../link/index.ts";
import { Conversation } from "./conversation.ts";

// `indus serve --stdio` and `indus mcp call` while a background gateway runs. They load nothing but what passes lines on.

/** How long it looks for a lost gateway before it serves its client itself. */
const REDIAL_MS = 30_000;
const REDIAL_EVERY_MS = 250;
const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** How long the last answers may take after the end of the input. */
const LAST_MS = 5_000;
const PARENT_CHECK_MS = 500;
const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export interface ShimOptions {
  /** The folder of the built command. */
  readonly folder: string;
  /** Runs the whole command in this process. */
  readonly runPrivately: () => void;
}

/** Does the work of this process through the background gateway, if there is one; otherwise runs the whole command. */
export async function runShim({ folder, runPrivately }: ShimOptions): Promise<void> {
  const words = process.argv.slice(2);
  if (!mayShare(words)) return runPrivately();
  const place = livePlace(gatewayPlaces({ env: process.env, build: buildOf(folder) }));
  if (!place) return runPrivately();
  if (words[0] === "mcp") return callThrough(place, words, runPrivately);
  if (isInOurTree()) {
    tell("it was started by a program of an indus session, so it does not use the background gateway");
    return runPrivately();
  }
  const dialled = await dial(place, hello(words));
  if ("socket" in dialled) return new Shim(place, words, folder).run(dialled);
  if (dialled.reason === "refused") tell(`its servers run privately: ${dialled.message}`);
  else if (dialled.reason === "broken")
    tell(
      `the background gateway cannot be used, so its servers run privately: ${dialled.message}; indus up starts a new one`,
    );
  runPrivately();
}

/** `indus mcp call`: the gateway makes the call, and this process shows what the command would have shown. */
async function callThrough(
  place: GatewayPlace,
  words: readonly string[],
  runPrivately: () => void,
): Promise<void> {
  if (isInOurTree()) return runPrivately();
  const { stdout, stderr } = process;
  const screenOf = ({ isTTY, columns, rows }: NodeJS.WriteStream): Screen | undefined =>
    isTTY ? { columns, rows } : undefined;
  const screens = { out: screenOf(stdout), err: screenOf(stderr) };
  const dialled = await dial(place, { kind: "call", words, screens, ...clientPlace() });
  if (!("socket" in dialled)) {
    // It would only wait for the same gateway again.
    if (dialled.reason === "broken") process.env["INDUS_NO_SHARE"] = "1";
    return runPrivately();
  }
  const { socket } = dialled;
  let end: number | undefined;
  for (const [name, code] of Object.entries(CODES))
    process.on(name, () => {
      end = code;
      socket.destroy();
    });
  for (const stream of [stdout, stderr]) stream.on("error", () => socket.destroy());
  const cutter = new LineCutter(
    (line) => {
      const { out, bytes, err, need, end: code } = readControl(line) ?? {};
      if (typeof out === "string") stdout.write(out);
      if (typeof bytes === "string") stdout.write(Buffer.from(bytes, "base64"));
      if (typeof err === "string") stderr.write(err);
      if (Array.isArray(need)) socket.write(controlLine({ env: valuesOf(need) }));
      if (typeof code === "number") end = code;
    },
    { maxBytes: MAX_LINE_BYTES * 2, onOverflow: () => tell("an answer of more than 128 MiB was dropped") },
  );
  socket.on("data", (chunk: Buffer) => {
    cutter.push(chunk);
    if (end !== undefined) socket.destroy();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    if (end === undefined) tell("the background gateway ended during the call, which may have run");
    process.exitCode = end ?? 1;
  });
  socket.resume();
}

const ANSWERED_AT_ONCE: ReadonlySet<string> = new Set(["--help", "-h", "--no-share", "--demo", "--version"]);

function mayShare(words: readonly string[]): boolean {
  const [name, second] = words;
  const isKnown = name === "serve" ? words.includes("--stdio") : name === "mcp" && second === "call";
  return isKnown && !words.some((word) => ANSWERED_AT_ONCE.has(word)) && !isSharingOff();
}

function hello(words: readonly string[]): Parameters<typeof dial>[1] {
  return { kind: "serve", words, ...clientPlace() };
}

function tell(message: string): void {
  process.stderr.write(`indus: ${message}\n`);
}

/** What serves the client: a connection to the gateway, or a gateway of its own. */
interface Link {
  readonly write: (line: Buffer, onWritten: () => void) => void;
  readonly end: () => void;
  readonly destroy: () => void;
}

class Shim {
  readonly #place: GatewayPlace;
  readonly #words: readonly string[];
  readonly #folder: string;
  readonly #conversation: Conversation;
  #link: Link | undefined;
  #isInputOver = false;
  #isEnding = false;
  #child: ChildProcess | undefined;

  constructor(place: GatewayPlace, words: readonly string[], folder: string) {
    this.#place = place;
    this.#words = words;
    this.#folder = folder;
    this.#conversation = new Conversation({
      toClient: (line) => this.#toClient(line),
      toServer: (line, onWritten) => this.#link?.write(line, onWritten),
    });
  }

  run(dialled: Dialled): void {
    for (const [name, code] of Object.entries(CODES)) process.on(name, () => this.#exit(code));
    process.stdout.on("error", () => this.#exit(0));
    process.stderr.on("error", () => {});
    const parent = process.ppid;
    setInterval(() => {
      if (isOrphanOf(parent)) this.#exit(CODES.SIGHUP);
    }, PARENT_CHECK_MS).unref();
    this.#use(dialled);
    const input = new LineCutter((line) => line.length > 0 && this.#conversation.fromClient(line), {
      maxBytes: MAX_LINE_BYTES,
      onOverflow: () => tell("a message of more than 64 MiB was dropped"),
    });
    process.stdin.on("data", (chunk: Buffer) => input.push(chunk));
    process.stdin.on("end", () => this.#inputEnded());
    process.stdin.on("error", () => this.#inputEnded());
  }

  #use({ socket }: Dialled): void {
    let why = "the background gateway ended while the request was in progress";
    let end: number | undefined;
    this.#read(socket, (line) => {
      const control = readControl(line);
      if (!control) return this.#conversation.fromServer(line);
      const { err, need, bye, end: code } = control;
      if (typeof err === "string") process.stderr.write(err);
      if (Array.isArray(need)) socket.write(controlLine({ env: valuesOf(need) }));
      if (typeof bye === "string") why = bye;
      if (typeof code === "number") end = code;
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#link = undefined;
      if (end !== undefined || this.#isInputOver) return this.#exit(end ?? 0);
      this.#conversation.lost(why);
      void this.#findAgain(why !== ENDED_BY_USER);
    });
    this.#link = linkTo(socket, () => socket.destroy());
    socket.resume();
    this.#conversation.connected();
  }

  /**
   * Looks for the gateway, which somebody may start again, and then starts a private one. A client that has not been introduced
   * yet would give up before.
   */
  async #findAgain(mayReturn: boolean): Promise<void> {
    process.stdin.resume();
    const untilMs = performance.now() + (mayReturn && this.#conversation.isIntroduced ? REDIAL_MS : 0);
    while (performance.now() < untilMs && !this.#isEnding) {
      await new Promise((resolve) => setTimeout(resolve, REDIAL_EVERY_MS));
      const dialled = await dial(this.#place, hello(this.#words));
      if ("socket" in dialled) return this.#use(dialled);
      if (dialled.reason === "refused") break;
    }
    if (this.#isEnding) return;
    tell("the background gateway is gone; this client's servers now run privately");
    this.#goPrivate();
  }

  #goPrivate(): void {
    const child = spawn(process.execPath, [join(this.#folder, "../../bin/indus.js"), ...this.#words], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, INDUS_NO_SHARE: "1" },
      windowsHide: true,
    });
    this.#child = child;
    const { stdin, stdout } = child;
    this.#read(stdout, (line) => this.#conversation.fromServer(line));
    stdin.on("error", () => {});
    child.on("error", () => {});
    child.on("close", (code) => {
      this.#link = undefined;
      const { isIntroduced } = this.#conversation;
      this.#conversation.lost("the private gateway ended while the request was in progress");
      // As without a gateway: a command line that cannot be served ends.
      if (this.#isInputOver || !isIntroduced) return this.#exit(code ?? 1);
      void this.#findAgain(true);
    });
    this.#link = linkTo(stdin, () => child.kill());
    this.#conversation.connected();
  }

  /** Reads lines, as fast as the client reads what comes of them. */
  #read(from: Readable, onLine: (line: Buffer) => void): void {
    const cutter = new LineCutter(onLine, {
      maxBytes: MAX_LINE_BYTES * 2,
      onOverflow: () => tell("a message of more than 128 MiB was dropped"),
    });
    from.on("data", (chunk: Buffer) => {
      cutter.push(chunk);
      if (!process.stdout.writableNeedDrain) return;
      from.pause();
      process.stdout.once("drain", () => from.resume());
    });
  }

  #toClient(line: Buffer): void {
    process.stdout.write(Buffer.concat([line, NEWLINE]));
  }

  #inputEnded(): void {
    if (this.#isInputOver) return;
    this.#isInputOver = true;
    if (!this.#link) return this.#exit(0);
    this.#link.end();
    setTimeout(() => this.#exit(0), LAST_MS).unref();
  }

  #exit(code: number): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#link?.destroy();
    this.#child?.kill();
    process.exitCode = code;
    // What is written must be read first.
    process.stdout.write("", () => process.exit(code));
    setTimeout(() => process.exit(code), LAST_MS).unref();
  }
}

const NEWLINE = Buffer.from("\n");

/** Windows does not give orphans a new parent. */
function isOrphanOf(parent: number): boolean {
  if (process.platform !== "win32") return process.ppid !== parent;
  try {
    return !process.kill(parent, 0);
  } catch {
    return true;
  }
}

function linkTo(stream: NodeJS.WritableStream, destroy: () => void): Link {
  const writer = new LineWriter(stream, (isBusy) => void process.stdin[isBusy ? "pause" : "resume"]());
  return { write: (line, onWritten) => writer.write(line, onWritten), end: () => writer.end(), destroy };
}

function valuesOf(names: readonly unknown[]): { readonly [name: string]: string } {
  const known = names.flatMap((name) => {
    const value = typeof name === "string" ? process.env[name] : undefined;
    return value === undefined ? [] : [[String(name), value] as const];
  });
  return Object.fromEntries(known);
}
