import { createHash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { KV } from "@nats-io/kv";
import { bytesHash, describeError, Listeners } from "indusagi/core";
import { ClusterError } from "./cluster-error.ts";
import type { ClusterConnection } from "./connect-cluster.ts";
import { Bucket } from "./contract.ts";
import { type Mirror, openMirror } from "./mirror.ts";

/**
 * Texts that all gateways have in memory: approved forms, catalogues. They are packed, and a large one lies in parts under the hash of
 * its content: NATS takes 1 MB in a message. A text is complete when it is here, so nobody waits for a part later.
 */
export interface SharedTexts extends AsyncDisposable {
  /** The text of a key, and what changes with it. */
  get(key: string): SharedText | undefined;
  keys(): readonly string[];
  /** Calls the listener with each key that changed. Returns a function that removes the listener. */
  onChange(listener: (key: string) => void): () => void;
  /** Changes a text by compare-and-set. `change` may be called several times; undefined leaves the text as it is. */
  update(
    key: string,
    change: (now: string | undefined) => string | undefined,
  ): Promise<SharedText | undefined>;
  /** Removes a text if nobody changed it meanwhile. */
  remove(key: string): Promise<void>;
}

interface SharedText {
  readonly text: string;
  /** The same for the same text. */
  readonly stamp: string;
  readonly revision: number;
}

interface Packed {
  readonly value: string;
  readonly revision: number;
}

/** Opens the texts of a bucket. Resolves when all are here. */
export async function openSharedTexts(
  connection: ClusterConnection,
  name: typeof Bucket.PINS | typeof Bucket.CATALOGUE,
  report: (message: string) => void,
): Promise<SharedTexts> {
  const bucket = await connection.bucket(name);
  const bodies = await connection.bucket(Bucket.BODIES);
  const mirror = await openMirror(bucket, (value, revision): Packed => ({ value, revision }), report);
  const texts = new Texts({ bucket, bodies, mirror, report });
  await texts.filled;
  return texts;
}

interface TextsParts {
  readonly bucket: KV;
  readonly bodies: KV;
  readonly mirror: Mirror<Packed>;
  readonly report: (message: string) => void;
}

const MAX_TRIES = 30;
const MAX_PAUSE_MS = 20;

class Texts implements SharedTexts {
  readonly filled: Promise<unknown>;
  readonly #parts: TextsParts;
  readonly #texts = new Map<string, SharedText>();
  readonly #changes = new Listeners<string>();

  constructor(parts: TextsParts) {
    this.#parts = parts;
    const { mirror } = parts;
    this.filled = Promise.all(mirror.keys().map((key) => this.#take(key)));
    mirror.onChange((key) => void this.#take(key));
  }

  get(key: string): SharedText | undefined {
    return this.#texts.get(key);
  }

  keys(): readonly string[] {
    return [...this.#texts.keys()];
  }

  onChange(listener: (key: string) => void): () => void {
    return this.#changes.add(listener);
  }

  async update(
    key: string,
    change: (now: string | undefined) => string | undefined,
  ): Promise<SharedText | undefined> {
    const { bucket, bodies } = this.#parts;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const entry = await bucket.get(key);
      const before = entry?.operation === "PUT" ? entry.string() : undefined;
      const now = before === undefined ? undefined : await unpack(before, bodies);
      const text = change(now);
      if (text === undefined || text === now) {
        if (entry && now !== undefined) this.#learn(key, now, entry.revision);
        return this.#texts.get(key);
      }
      const value = await pack(text, bodies);
      try {
        const revision = entry
          ? await bucket.update(key, value, entry.revision)
          : await bucket.create(key, value);
        if (before !== undefined) void dropBody(before, bodies);
        this.#learn(key, text, revision);
        return this.#texts.get(key);
      } catch (thrown) {
        const why = describeError(thrown);
        if (/permission/i.test(why))
          throw new ClusterError("refused", "this user may not write what gateways share", { cause: thrown });
        if (!/wrong last sequence|key exists/i.test(why)) throw thrown;
      }
      await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_PAUSE_MS));
    }
    throw new ClusterError("conflict", `too many gateways changed ${key} at the same time`);
  }

  async remove(key: string): Promise<void> {
    const { bucket, bodies } = this.#parts;
    const entry = await bucket.get(key);
    if (entry?.operation !== "PUT") return;
    await bucket.delete(key, { previousSeq: entry.revision });
    await dropBody(entry.string(), bodies);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#parts.mirror[Symbol.dispose]();
  }

  async #take(key: string): Promise<void> {
    const { mirror, bodies, report } = this.#parts;
    const packed = mirror.get(key);
    if (!packed) {
      if (this.#texts.delete(key)) this.#changes.emit(key);
      return;
    }
    try {
      this.#learn(key, await unpack(packed.value, bodies), packed.revision);
    } catch (thrown) {
      // Its parts are removed when a newer text replaces it, which follows.
      if (mirror.get(key) === packed) report(`what gateways share cannot be read: ${describeError(thrown)}`);
    }
  }

  #learn(key: string, text: string, revision: number): void {
    const known = this.#texts.get(key);
    if (known && known.revision >= revision) return;
    const stamp = bytesHash(text);
    this.#texts.set(key, { text, stamp, revision });
    if (known?.stamp !== stamp) this.#changes.emit(key);
  }
}

/** What begins a packed text: its parts lie elsewhere. */
const ELSEWHERE = "@";
const PART_BYTES = 512 * 1024;
const MAX_PARTS = 64;

async function pack(text: string, bodies: KV): Promise<string> {
  const packed = deflateRawSync(text).toString("base64");
  if (packed.length <= PART_BYTES) return packed;
  const hash = createHash("sha256").update(packed).digest("hex");
  const count = Math.ceil(packed.length / PART_BYTES);
  if (count > MAX_PARTS) throw new ClusterError("invalid", "a text is too large to be shared");
  for (let at = 0; at < count; at++)
    await bodies.put(`${hash}.${at}`, packed.slice(at * PART_BYTES, (at + 1) * PART_BYTES));
  return `${ELSEWHERE}${hash}.${count}`;
}

async function unpack(value: string, bodies: KV): Promise<string> {
  const body = bodyOf(value);
  let packed = value;
  if (body) {
    const parts: string[] = [];
    for (let at = 0; at < body.count; at++) {
      const entry = await bodies.get(`${body.hash}.${at}`);
      if (entry?.operation !== "PUT") throw new Error(`part ${at} of a large text is missing`);
      parts.push(entry.string());
    }
    packed = parts.join("");
    if (createHash("sha256").update(packed).digest("hex") !== body.hash)
      throw new Error("a large text is damaged");
  }
  return inflateRawSync(Buffer.from(packed, "base64")).toString("utf8");
}

/** Nobody needs the parts of a text that was replaced. They stay if that fails. */
async function dropBody(value: string, bodies: KV): Promise<void> {
  const body = bodyOf(value);
  if (!body) return;
  for (let at = 0; at < body.count; at++) await bodies.purge(`${body.hash}.${at}`).catch(() => {});
}

function bodyOf(value: string): { readonly hash: string; readonly count: number } | undefined {
  const [, hash, count] = /^@([0-9a-f]{64})\.(\d{1,2})$/.exec(value) ?? [];
  return hash === undefined ? undefined : { hash, count: Number(count) };
}
