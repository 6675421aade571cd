import { realpathSync } from "node:fs";
import { PassThrough } from "node:stream";
import { homeFolder } from "indusagi/config";
import { type Environment, joinSignals } from "indusagi/core";
import type { InstanceScope, PoolMember } from "indusagi/interop";
import { hasColours, type Look, wrapMessage } from "../../screen/internal.ts";
import type { Terminal } from "../../screen/terminal/index.ts";
import { stateRoot } from "../../state/index.ts";
import { type Ask, controlLine, LineCutter, readControl, readObject, type Screen } from "../link/index.ts";
import type { Guest } from "./gateway.ts";

/** What a run that serves a client of the background gateway has instead of what belongs to this process. */
export interface Attachment {
  /** The messages of the client, and those to it. */
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly terminal: Terminal;
  /** The variables of the client, as far as they are known. */
  readonly env: Environment;
  /** The folder that the client was started in. */
  readonly cwd: string;
  readonly sharing: PoolMember;
  /** Asks the client for the variables that were looked up in vain. Resolves to whether there are new ones. */
  readonly fetchVariables: () => Promise<boolean>;
  /** Says how the run ended. */
  readonly end: (code: number) => void;
}

const MAX_LINE_BYTES = 128 * 1024 * 1024;
/** So much waits for a client before it is read again: what it asks for would only wait too. */
const BUSY_BYTES = 16 * 1024 * 1024;
/** More than the longest message. */
const MAX_UNREAD_BYTES = 2 * MAX_LINE_BYTES;
const WATCH_MS = 5_000;
/** The end of a connection is read after what was sent before it. */
const HELD_MS = 100;
/** The client answers from its memory. */
const FETCH_MS = 5_000;

/** The client's side of an attachment, from what its hello says. `folder` is its workspace. Throws if the hello is not understood. */
export function openAttachment(guest: Guest, folder: string): Attachment {
  const { ask, socket, pool, signal, id, named, stoodStill } = guest;
  const { cwd, env: given } = ask;
  if (cwd === undefined || !given) throw new Error("its hello is not understood");
  const variables = new ClientVariables(given);
  const input = new PassThrough();
  let waiting: ((known: Environment) => void) | undefined;
  let isNamed = false;
  const cutter = new LineCutter(
    (line) => {
      const control = readControl(line);
      if (!control) {
        if (!isNamed) isNamed = nameIn(line, named);
        return void input.write(line);
      }
      if (typeof control["env"] === "object" && control["env"]) waiting?.(control["env"] as Environment);
      if (control["beat"] !== undefined) tell({ beat: control["beat"] });
    },
    { maxBytes: MAX_LINE_BYTES, onOverflow: () => socket.destroy() },
  );
  let hasLeft = false;
  let held: Buffer[] | undefined;
  const release = (): void => {
    const chunks = held ?? [];
    held = undefined;
    if (!hasLeft) for (const chunk of chunks) cutter.push(chunk);
  };
  socket.on("data", (chunk: Buffer) => {
    // A client that gave this process up has said that its calls may have run: they must not run after that.
    if (held || stoodStill()) {
      if (!held) setTimeout(release, HELD_MS);
      held = [...(held ?? []), chunk];
      return;
    }
    cutter.push(chunk);
    const full = input.writableNeedDrain ? input : socket.writableLength > BUSY_BYTES ? socket : undefined;
    if (!full) return;
    socket.pause();
    full.once("drain", () => socket.resume());
  });
  // A client may be stopped for days while its servers talk to it.
  const watch = setInterval(() => {
    if (socket.writableLength > MAX_UNREAD_BYTES) socket.destroy();
  }, WATCH_MS).unref();
  socket.once("close", () => clearInterval(watch));
  for (const event of ["end", "close"])
    socket.on(event, () => {
      hasLeft = true;
      input.end();
      // Its process was interrupted: a command has no input whose end means less.
      if (ask.kind === "call") socket.destroy();
    });
  socket.resume();
  const { env } = variables;
  const tell = (content: object): void => void (socket.writable && socket.write(controlLine(content)));
  return {
    ...{ input, output: socket, env, cwd },
    terminal: terminalOf(ask, env, tell),
    sharing: { pool, name: id, scope: scopeOf({ ...ask, env }, folder) },
    fetchVariables: async () => {
      const need = variables.takeMissing();
      if (need.length === 0) return false;
      const answered = new Promise<Environment>((known) => (waiting = known));
      tell({ need });
      const timer = joinSignals(signal, AbortSignal.timeout(FETCH_MS));
      const gaveUp = new Promise<Environment>((none) =>
        timer.addEventListener("abort", () => none({}), { once: true }),
      );
      return variables.learn(await Promise.race([answered, gaveUp]));
    },
    end: (code) => tell({ end: code }),
  };
}

/** The client's output and messages. */
function terminalOf({ screens }: Ask, env: Environment, tell: (content: object) => void): Terminal {
  const lookOf = (screen: Screen | undefined): Look => ({
    hasColours: hasColours(env, screen !== undefined),
    ...(screen?.columns && { width: screen.columns }),
    ...(screen?.rows && { height: screen.rows }),
  });
  const { out, err } = screens ?? {};
  return {
    out: (data) =>
      tell(typeof data === "string" ? { out: data } : { bytes: bufferOf(data).toString("base64") }),
    err: (text) => tell({ err: wrapMessage(text, err?.columns) }),
    ...{ outIsScreen: out !== undefined, errIsScreen: err !== undefined },
    get outLook() {
      return lookOf(out);
    },
    get errLook() {
      return lookOf(err);
    },
  };
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Who shares an instance with a client, and what its processes inherit. */
export function scopeOf({ cwd = "", env = {}, umask, container = "" }: Ask, folder: string): InstanceScope {
  return {
    place: { env, cwd, umask },
    folder: realOr(folder),
    home: homeFolder({ env }) ?? cwd,
    credentials: stateRoot({ env }) ?? "",
    container,
  };
}

function realOr(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder; // It was removed: then its servers cannot start either.
  }
}

/** Passes on what a client calls itself in a message: in its handshake or, in the modern era, in each request. */
function nameIn(line: Buffer, named: (client: string) => void): boolean {
  const { params } = readObject(line) ?? {};
  const { clientInfo, _meta } = (params ?? {}) as { readonly [member: string]: unknown };
  const info = clientInfo ?? (_meta as { readonly [member: string]: unknown } | undefined)?.[CLIENT_INFO];
  const { name } = (info ?? {}) as { readonly name?: unknown };
  if (typeof name === "string") named(name.slice(0, MAX_NAME_CHARS));
  return typeof name === "string";
}

const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
const MAX_NAME_CHARS = 60;

/** The environment of a client. It notes which names were looked up in vain, because the client sends only what is needed. */
class ClientVariables {
  readonly env: Environment;
  readonly #known: Record<string, string>;
  /** Looked up and not known; the client has none of these if they were asked for. */
  readonly #missing = new Set<string>();
  readonly #asked = new Set<string>();

  constructor(given: Environment) {
    const known = Object.entries(given).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    );
    this.#known = Object.fromEntries(known);
    const look = (name: string | symbol): void => {
      if (typeof name === "string" && NAME.test(name) && !Object.hasOwn(this.#known, name))
        this.#missing.add(name);
    };
    this.env = new Proxy(this.#known, {
      get: (target, name) => {
        look(name);
        return Reflect.get(target, name) as unknown;
      },
      has: (target, name) => {
        look(name);
        return Reflect.has(target, name);
      },
      getOwnPropertyDescriptor: (target, name) => {
        look(name);
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
    });
  }

  takeMissing(): readonly string[] {
    const missing = [...this.#missing].filter(
      (name) => !this.#asked.has(name) && !Object.hasOwn(this.#known, name),
    );
    for (const name of missing) this.#asked.add(name);
    this.#missing.clear();
    return missing;
  }

  learn(values: Environment): boolean {
    const found = Object.entries(values).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    );
    Object.assign(this.#known, Object.fromEntries(found));
    return found.length > 0;
  }
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,255}$/;
