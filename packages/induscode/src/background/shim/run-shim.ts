import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import {
  buildOf,
  clientPlace,
  controlLine,
  type Dialled,
  dial,
  ENDED_BY_USER,
  type GatewayPlace,
  gatewayPlaces,
  LineCutter,
  livePlace,
  readControl,
} from "../link/index.ts";
import { Conversation } from "./conversation.ts";

// `indus serve --stdio` while a background gateway runs. It loads nothing but what it needs to pass lines on.

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

/** Serves this process's client through the background gateway, if there is one; otherwise runs the whole command. */
export async function runShim({ folder, runPrivately }: ShimOptions): Promise<void> {
  const words = process.argv.slice(2);
  if (!mayShare(words)) return runPrivately();
  const place = livePlace(gatewayPlaces({ env: process.env, build: buildOf(folder) }));
  if (!place) return runPrivately();
  if (process.env["INDUS_TREE"]) {
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

const ANSWERED_AT_ONCE: ReadonlySet<string> = new Set(["--help", "-h", "--no-share", "--demo", "--version"]);

function mayShare(words: readonly string[]): boolean {
  const { INDUS_NO_SHARE: forbidden = "" } = process.env;
  return (
    words[0] === "serve" &&
    words.includes("--stdio") &&
    !words.some((word) => ANSWERED_AT_ONCE.has(word)) &&
    (forbidden === "" || forbidden === "0")
  );
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
    const cutter = new LineCutter(
      (line) => {
        const control = readControl(line);
        if (!control) return this.#conversation.fromServer(line);
        const { err, need, bye, end: code } = control;
        if (typeof err === "string") process.stderr.write(err);
        if (Array.isArray(need)) socket.write(controlLine({ env: valuesOf(need) }));
        if (typeof bye === "string") why = bye;
        if (typeof code === "number") end = code;
      },
      { maxBytes: MAX_LINE_BYTES * 2, onOverflow: () => tell("a message of more than 128 MiB was dropped") },
    );
    socket.on("data", (chunk: Buffer) => {
      cutter.push(chunk);
      if (process.stdout.writableNeedDrain) {
        socket.pause();
        process.stdout.once("drain", () => socket.resume());
      }
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#link = undefined;
      if (end !== undefined || this.#isInputOver) return this.#exit(end ?? 0);
      this.#conversation.lost(why);
      void this.#findAgain(why !== ENDED_BY_USER);
    });
    this.#link = {
      write: (line, onWritten) => {
        // One write for both, so that a line is written as a whole or not at all.
        const isFree = socket.write(Buffer.concat([line, NEWLINE]), (thrown) => {
          if (!thrown) onWritten();
        });
        if (!isFree) {
          process.stdin.pause();
          socket.once("drain", () => process.stdin.resume());
        }
      },
      end: () => void socket.end(),
      destroy: () => void socket.destroy(),
    };
    socket.resume();
    this.#conversation.connected();
  }

  /** Looks for the gateway, which somebody may start again, and then starts a private one. */
  async #findAgain(mayReturn: boolean): Promise<void> {
    process.stdin.resume();
    const untilMs = performance.now() + (mayReturn ? REDIAL_MS : 0);
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
    const cutter = new LineCutter((line) => this.#conversation.fromServer(line), {
      maxBytes: MAX_LINE_BYTES * 2,
      onOverflow: () => tell("a message of more than 128 MiB was dropped"),
    });
    stdout.on("data", (chunk: Buffer) => cutter.push(chunk));
    stdin.on("error", () => {});
    child.on("error", () => {});
    child.on("close", (code) => {
      this.#link = undefined;
      this.#conversation.lost("the private gateway ended while the request was in progress");
      this.#conversation.over("the private gateway has ended; restart this server");
      this.#exit(code ?? 1);
    });
    this.#link = {
      write: (line, onWritten) =>
        void stdin.write(Buffer.concat([line, NEWLINE]), (thrown) => {
          if (!thrown) onWritten();
        }),
      end: () => void stdin.end(),
      destroy: () => void child.kill(),
    };
    this.#conversation.connected();
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

function valuesOf(names: readonly unknown[]): { readonly [name: string]: string } {
  const known = names.flatMap((name) => {
    const value = typeof name === "string" ? process.env[name] : undefined;
    return value === undefined ? [] : [[String(name), value] as const];
  });
  return Object.fromEntries(known);
}
