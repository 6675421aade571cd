import type { ChildProcess, spawn as spawnProcess } from "node:child_process";
import { join } from "node:path";
import type { Readable } from "node:stream";
import {
  type Ask,
  clientPlace,
  type Dialled,
  dial,
  ENDED_BY_USER,
  type GatewayPlace,
  LineCutter,
  LineWriter,
} from "../link/index.ts";
import { Conversation } from "./conversation.ts";
import { readGateway } from "./gateway-line.ts";
import { CODES, tell } from "./this-process.ts";

/** How long it looks for a lost gateway before it serves its client itself. */
const REDIAL_MS = 30_000;
const REDIAL_EVERY_MS = 250;
const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** How long the last answers may take after the end of the input. */
const LAST_MS = 5_000;
const PARENT_CHECK_MS = 500;

interface ShimParts {
  readonly place: GatewayPlace;
  /** The command line. */
  readonly words: readonly string[];
  /** The folder of the built command. */
  readonly folder: string;
}

/** `indus serve --stdio`: passes on what the client and the gateway say to each other, for as long as the client's input is open. */
export function serveThrough(dialled: Dialled, parts: ShimParts): void {
  new Shim(parts).run(dialled);
}

/** What a client says when it connects to the gateway. */
export function helloOf(words: readonly string[]): Ask {
  return { kind: "serve", words, ...clientPlace() };
}

/** What serves the client: a connection to the gateway, or a gateway of its own. */
interface Link {
  readonly write: (line: Buffer, onWritten: () => void) => void;
  readonly end: () => void;
  readonly destroy: () => void;
}

class Shim {
  readonly #parts: ShimParts;
  readonly #conversation: Conversation;
  #link: Link | undefined;
  #isInputOver = false;
  #isEnding = false;
  #child: ChildProcess | undefined;

  constructor(parts: ShimParts) {
    this.#parts = parts;
    this.#conversation = new Conversation({
      toClient: (line) => void process.stdout.write(line),
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
    const input = new LineCutter((line) => this.#conversation.fromClient(line), {
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
    readGateway(socket, {
      onMessage: (line) => this.#conversation.fromServer(line),
      onControl: ({ bye, end: code }) => {
        if (typeof bye === "string") why = bye;
        if (typeof code === "number") end = code;
      },
      onQuiet: () => this.#conversation.quiet(),
      onSilent: () => {
        why = "the background gateway stopped answering while the request was in progress";
        socket.destroy();
      },
    });
    this.#slowDown(socket);
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
      const dialled = await dial(this.#parts.place, helloOf(this.#parts.words));
      if ("socket" in dialled) return this.#use(dialled);
      if (dialled.reason === "refused") break;
    }
    // Most clients never need it.
    const { spawn } = await import("node:child_process");
    if (this.#isEnding) return;
    tell("the background gateway is gone; this client's servers now run privately");
    this.#goPrivate(spawn);
  }

  #goPrivate(spawn: typeof spawnProcess): void {
    const { folder, words } = this.#parts;
    const child = spawn(process.execPath, [join(folder, "../../bin/indus.js"), ...words], {
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
    this.#slowDown(stdout);
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

  /** Reads only as fast as the client reads what comes of it. */
  #slowDown(from: Readable): void {
    from.on("data", () => {
      if (!process.stdout.writableNeedDrain) return;
      from.pause();
      process.stdout.once("drain", () => from.resume());
    });
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
