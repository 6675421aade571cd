import { randomBytes } from "node:crypto";
import { chmodSync, renameSync, rmdirSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { describeError, type FileLock, settlesWithin, tryFileLock } from "indusagi/core";
import { InstancePool, type InstanceStatus } from "indusagi/interop";
import {
  type Ask,
  clearPlace,
  controlLine,
  freshNonce,
  type GatewayPlace,
  isNonce,
  isProof,
  KEY_BYTES,
  LineCutter,
  makePlace,
  placeProblem,
  proofOf,
  readAsk,
  readObject,
} from "../link/index.ts";

/** One client of the gateway. */
export interface Attached {
  /** Unique in this gateway. */
  readonly id: string;
  readonly pid: number;
  /** Its folder. */
  readonly cwd: string;
  /** What the client calls itself. Absent until it says so. */
  readonly client?: string | undefined;
  readonly kind: "serve" | "call" | "instance";
  readonly sinceMs: number;
}

/** What a running gateway knows about itself: what `indus status` shows. */
export interface GatewayReport {
  readonly pid: number;
  readonly version: string;
  readonly sinceMs: number;
  readonly log?: string | undefined;
  /** It takes no new clients and ends with its last one. */
  readonly isDraining: boolean;
  readonly clients: readonly Attached[];
  readonly instances: readonly InstanceStatus[];
  /** The servers that run once in each of several folders and could run once for all of them. */
  readonly savings: readonly { readonly server: string; readonly folders: number }[];
}

/** A client that has proved that it knows the key. */
export interface Guest {
  readonly ask: Ask;
  readonly socket: Socket;
  /** Aborts when the client leaves or the gateway ends. */
  readonly signal: AbortSignal;
  readonly pool: InstancePool;
  /** Says what the client calls itself. */
  readonly named: (client: string) => void;
  readonly id: string;
  /** Whether the gateway has just stood still for so long that its clients may have given it up. */
  readonly stoodStill: () => boolean;
}

export interface BackgroundOptions {
  readonly place: GatewayPlace;
  readonly version: string;
  readonly log?: string | undefined;
  /** Aborts when the gateway should end. */
  readonly signal: AbortSignal;
  readonly report: (message: string) => void;
  /** Why a client is not served. Undefined: it is. */
  readonly refusal: (ask: Ask, pool: InstancePool) => Promise<string | undefined>;
  /** Serves a client until it leaves. */
  readonly serve: (guest: Guest) => Promise<void>;
  /** Opens the console, and says where it is. */
  readonly console: () => Promise<object>;
}

export interface BackgroundGateway {
  report(): GatewayReport;
  /** Resolves when it has ended: by `indus down`, by its signal, or after its last client when it drains. */
  readonly ended: Promise<void>;
}

const PROOF_MS = 3_000;
const MAX_PROOF_BYTES = 4 * 1024;
const MAX_ASK_BYTES = 4 * 1024 * 1024;
/** Connections that have not proved anything yet. All clients of a user may start at the same moment. */
const MAX_STRANGERS = 1_000;
const CLOSE_MS = 8_000;

/** Listens for clients. Rejects, with the reason, if the place cannot be used or another gateway has it. */
export async function openBackgroundGateway(options: BackgroundOptions): Promise<BackgroundGateway> {
  const { place } = options;
  makePlace(place);
  const problem = placeProblem(place.folder);
  if (problem !== undefined) throw new Error(problem);
  const lock = await tryFileLock({ folder: place.folder, name: `${place.name}.runs` });
  if (!("release" in lock))
    throw new Error(
      lock.reason === "held"
        ? `process ${lock.pid} is your background gateway already`
        : "another gateway is starting",
    );
  const gateway = new Background(options, lock);
  try {
    await gateway.listen();
  } catch (thrown) {
    await gateway.end("it could not listen");
    throw thrown;
  }
  return gateway;
}

class Background implements BackgroundGateway {
  readonly ended: Promise<void>;
  readonly #options: BackgroundOptions;
  readonly #lock: FileLock;
  readonly #key = randomBytes(KEY_BYTES);
  readonly #pool = new InstancePool();
  readonly #sinceMs = Date.now();
  readonly #server: Server;
  readonly #guests = new Map<
    string,
    {
      readonly attached: Attached;
      readonly socket: Socket;
      readonly done: Promise<void>;
      readonly stop: () => void;
    }
  >();
  readonly #standstill = new Standstill();
  #strangers = 0;
  #served = 0;
  #isDraining = false;
  #ending: Promise<void> | undefined;
  #over = (): void => {};

  constructor(options: BackgroundOptions, lock: FileLock) {
    this.#options = options;
    this.#lock = lock;
    this.ended = new Promise((resolve) => (this.#over = resolve));
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#greet(socket));
    this.#server.on("error", (thrown) => options.report(`the socket failed: ${describeError(thrown)}`));
    const end = (): void => void this.end(describeError(options.signal.reason));
    if (options.signal.aborted) end();
    else options.signal.addEventListener("abort", end, { once: true });
  }

  async listen(): Promise<void> {
    const { place } = this.#options;
    const { socket, key } = place;
    // We hold the lock, so what is there was left by a gateway that was killed.
    clearPlace(place);
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      // Nobody else may connect before the mode is set; the folder keeps others out anyway.
      const umask = process.umask(0o177);
      this.#server.listen(socket, () => {
        this.#server.off("error", reject);
        resolve();
      });
      process.umask(umask);
    });
    if (process.platform !== "win32") chmodSync(socket, 0o600);
    // Last and as a whole: a client takes it as the sign that there is a gateway.
    writeFileSync(`${key}.new`, this.#key, { mode: 0o600, flag: "wx" });
    renameSync(`${key}.new`, key);
  }

  report(): GatewayReport {
    const { version, log } = this.#options;
    const instances = this.#pool.instances();
    return {
      pid: process.pid,
      version,
      sinceMs: this.#sinceMs,
      log,
      isDraining: this.#isDraining,
      clients: [...this.#guests.values()].map(({ attached }) => attached),
      instances,
      savings: savingsIn(instances),
    };
  }

  /** Ends it and everything it started. Clients hear why. */
  end(why: string): Promise<void> {
    this.#ending ??= this.#close(why);
    return this.#ending;
  }

  /** Takes no new clients, and ends after the last one. */
  #drain(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    this.#options.report("another version has taken over; this one ends with its last client");
    if (this.#guests.size === 0) void this.end("its last client has left");
  }

  async #close(why: string): Promise<void> {
    this.#options.report(`ending: ${why}`);
    clearPlace(this.#options.place);
    this.#server.close();
    const guests = [...this.#guests.values()];
    for (const { socket, stop } of guests) {
      socket.write(controlLine({ bye: why }));
      stop();
    }
    await settlesWithin(Promise.all(guests.map(({ done }) => done)), CLOSE_MS);
    this.#standstill.stop();
    await this.#lock.release().catch(() => {});
    try {
      rmdirSync(this.#options.place.folder);
    } catch {
      // Another version's gateway is in it, or one is starting.
    }
    this.#over();
  }

  #greet(socket: Socket): void {
    socket.on("error", () => socket.destroy());
    if (++this.#strangers > MAX_STRANGERS) {
      this.#strangers -= 1;
      socket.destroy();
      return;
    }
    const patience = setTimeout(() => socket.destroy(), PROOF_MS);
    let isStranger = true;
    const known = (): void => {
      if (!isStranger) return;
      isStranger = false;
      this.#strangers -= 1;
      clearTimeout(patience);
    };
    socket.once("close", known);
    const gateway = freshNonce();
    let client: string | undefined;
    let isAdmitted = false;
    const after: Buffer[] = [];
    const step = (line: Buffer): void => {
      const said = readObject(line);
      if (client === undefined) {
        if (line.length > MAX_PROOF_BYTES || !isNonce(said?.["nonce"])) return void socket.destroy();
        client = said["nonce"];
        const proof = proofOf("gateway", this.#key, { client, gateway });
        socket.write(`${JSON.stringify({ nonce: gateway, proof })}\n`);
        return;
      }
      const expected = proofOf("client", this.#key, { client, gateway });
      if (!isProof(said?.["proof"], expected)) return void socket.destroy();
      known();
      isAdmitted = true;
      socket.off("data", onData);
      socket.pause();
      void this.#admit(socket, readAsk(said?.["ask"]));
    };
    const cutter = new LineCutter((line) => (isAdmitted ? void after.push(line) : step(line)), {
      maxBytes: MAX_ASK_BYTES,
      onOverflow: () => socket.destroy(),
    });
    const onData = (chunk: Buffer): void => {
      cutter.push(chunk);
      if (!isAdmitted) return;
      const rest = Buffer.concat([...after, cutter.takeRest()]);
      if (rest.length > 0) socket.unshift(rest);
    };
    socket.on("data", onData);
  }

  async #admit(socket: Socket, ask: Ask | undefined): Promise<void> {
    const answer = (content: object): void => void socket.write(`${JSON.stringify(content)}\n`);
    try {
      switch (ask?.kind) {
        case undefined:
          break;
        case "status":
          return void socket.end(`${JSON.stringify({ ok: true, report: this.report() })}\n`);
        case "console":
          return void socket.end(`${JSON.stringify({ ok: true, console: await this.#options.console() })}\n`);
        case "drain":
        case "down":
          socket.end(`${JSON.stringify({ ok: true, pid: process.pid })}\n`);
          if (ask.kind === "drain") this.#drain();
          else void this.end(ask.why ?? "it was asked to");
          return;
        case "serve":
        case "call":
        case "instance": {
          const why = this.#isDraining
            ? "it is being replaced by another version"
            : await this.#options.refusal(ask, this.#pool);
          if (why !== undefined) return void socket.end(`${JSON.stringify({ no: why })}\n`);
          answer({ ok: true });
          return await this.#attach(socket, { ...ask, kind: ask.kind });
        }
      }
      socket.end(`${JSON.stringify({ no: "this gateway does not know what was asked" })}\n`);
    } catch (thrown) {
      this.#options.report(`a client was not served: ${describeError(thrown)}`);
      socket.destroy();
    }
  }

  async #attach(socket: Socket, ask: Ask & Pick<Attached, "kind">): Promise<void> {
    const id = `${++this.#served}`;
    const controller = new AbortController();
    const stop = (): void => controller.abort(new Error("the client has left"));
    socket.once("close", stop);
    const attached: { -readonly [Member in keyof Attached]: Attached[Member] } = {
      id,
      pid: ask.pid ?? 0,
      cwd: ask.cwd ?? "",
      kind: ask.kind,
      sinceMs: Date.now(),
    };
    const done = this.#options
      .serve({
        ...{ id, ask, socket, pool: this.#pool, signal: controller.signal },
        named: (client) => void (attached.client = client),
        stoodStill: () => this.#standstill.isRecent(),
      })
      .catch((thrown: unknown) => this.#options.report(`client ${id}: ${describeError(thrown)}`))
      .finally(() => {
        this.#guests.delete(id);
        // What was written is sent first.
        socket.end();
        setTimeout(() => socket.destroy(), PROOF_MS).unref();
        if (this.#isDraining && this.#guests.size === 0) void this.end("its last client has left");
      });
    this.#guests.set(id, { attached, socket, done, stop });
    await done;
  }
}

/** Less than a client waits for an answer (see `shim/gateway-line.ts`). */
const STILL_MS = 4_000;
const LOOK_MS = 1_000;
/** Then everything that arrived during a standstill has been read. */
const RECENT_MS = 500;

/** Notices that this process was stopped, or did nothing but one thing, for some seconds. */
class Standstill {
  #lookedMs = performance.now();
  #recentUntilMs = 0;

  readonly #timer = setInterval(() => this.isRecent(), LOOK_MS).unref();

  stop(): void {
    clearInterval(this.#timer);
  }

  isRecent(): boolean {
    const nowMs = performance.now();
    if (nowMs - this.#lookedMs > STILL_MS) this.#recentUntilMs = nowMs + RECENT_MS;
    this.#lookedMs = nowMs;
    return nowMs < this.#recentUntilMs;
  }
}

/** Instances that would be one if their rows said `"share": "user"`. */
function savingsIn(instances: readonly InstanceStatus[]): GatewayReport["savings"] {
  const alike = new Map<string, InstanceStatus[]>();
  for (const instance of instances)
    if (instance.userKey !== undefined)
      alike.set(instance.userKey, [...(alike.get(instance.userKey) ?? []), instance]);
  return [...alike.values()]
    .filter((each) => each.length > 1)
    .map((each) => ({ server: each[0]?.server ?? "", folders: each.length }));
}
