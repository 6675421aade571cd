import type { KV, KvWatchEntry } from "@nats-io/kv";
import { describeError, Listeners } from "indusagi/core";
import { patiently } from "./connect-cluster.ts";
import type { NodeRecord, OwnerRecord, PermitRecord } from "./contract.ts";

/**
 * A bucket in memory. It follows the changes, also across lost connections. NATS does not say twice that a lease ran out: who could not
 * be told then is never told. So a lease that was not renewed for its time is looked up.
 */
export interface Mirror<Value> extends Disposable {
  get(key: string): Value | undefined;
  values(): IterableIterator<Value>;
  keys(): readonly string[];
  readonly size: number;
  /** Calls the listener with each key that changed. Returns a function that removes the listener. */
  onChange(listener: (key: string) => void): () => void;
}

const RETRY_MS = 500;
/** How often in a lease the mirror looks for those that were not renewed. */
const LOOKS = 4;

/** Returns undefined for a value that is not understood. */
type Parse<Value> = (text: string, revision: number) => Value | undefined;

/** Resolves when it holds what the bucket holds. */
export async function openMirror<Value>(
  bucket: KV,
  parse: Parse<Value>,
  report: (message: string) => void,
): Promise<Mirror<Value>> {
  const mirror = new BucketMirror(bucket, parse, report);
  await mirror.filled;
  return mirror;
}

class BucketMirror<Value> implements Mirror<Value> {
  readonly filled: Promise<void>;
  readonly #bucket: KV;
  readonly #parse: Parse<Value>;
  readonly #report: (message: string) => void;
  readonly #changes = new Listeners<string>();
  readonly #values = new Map<string, Value>();
  /** When NATS last told the value of each key. */
  readonly #toldMs = new Map<string, number>();
  #looking: NodeJS.Timeout | undefined;
  #stop: (() => void) | undefined;
  #isOver = false;

  constructor(bucket: KV, parse: Parse<Value>, report: (message: string) => void) {
    this.#bucket = bucket;
    this.#parse = parse;
    this.#report = report;
    this.filled = new Promise((resolve, reject) => void this.#follow(resolve, reject));
  }

  get size(): number {
    return this.#values.size;
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  values(): IterableIterator<Value> {
    return this.#values.values();
  }

  keys(): readonly string[] {
    return [...this.#values.keys()];
  }

  onChange(listener: (key: string) => void): () => void {
    return this.#changes.add(listener);
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearInterval(this.#looking);
    this.#stop?.();
  }

  async #follow(filled: () => void, failed: (reason: unknown) => void): Promise<void> {
    for (let isFirst = true; !this.#isOver; isFirst = false) {
      try {
        await this.#watch(filled);
      } catch (thrown) {
        if (isFirst) return failed(thrown);
        if (!this.#isOver)
          this.#report(`the cluster's state is not followed: ${describeError(thrown)}; trying again`);
      }
      if (!this.#isOver) await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
    }
  }

  async #watch(filled: () => void): Promise<void> {
    const seen = new Set<string>();
    let isFilled = false;
    const fill = (): void => {
      isFilled = true;
      // What was removed while we did not look.
      for (const key of [...this.#values.keys()]) if (!seen.has(key)) this.#set(key, undefined, 0);
      filled();
    };
    const { values, ttl } = await patiently(() => this.#bucket.status());
    if (ttl > 0 && !this.#isOver)
      this.#looking ??= setInterval(() => void this.#look(ttl), ttl / LOOKS).unref();
    const entries = await patiently(() => this.#bucket.watch());
    this.#stop = () => entries.stop();
    if (values === 0) fill();
    for await (const entry of entries) {
      if (this.#isOver) return;
      seen.add(entry.key);
      this.#set(entry.key, textOf(entry), entry.revision);
      if (!isFilled && (entry.delta === 0 || entry.isUpdate)) fill();
    }
  }

  /** Looks up what was not told for a lease. While NATS does not answer, everything stays. */
  async #look(leaseMs: number): Promise<void> {
    const beforeMs = performance.now() - leaseMs;
    for (const [key, toldMs] of [...this.#toldMs]) {
      if (toldMs > beforeMs) continue;
      const entry = await this.#bucket.get(key).catch(() => undefined);
      if (entry === undefined || this.#isOver || this.#toldMs.get(key) !== toldMs) continue;
      if (entry?.operation === "PUT") this.#toldMs.set(key, performance.now());
      else this.#set(key, undefined, 0);
    }
  }

  #set(key: string, text: string | undefined, revision: number): void {
    const value = text === undefined ? undefined : this.#parse(text, revision);
    if (value === undefined) {
      this.#toldMs.delete(key);
      if (!this.#values.delete(key)) return;
    } else {
      this.#toldMs.set(key, performance.now());
      this.#values.set(key, value);
    }
    this.#changes.emit(key);
  }
}

/** Undefined: it was deleted, or its lease ran out. */
function textOf(entry: KvWatchEntry): string | undefined {
  return entry.operation === "PUT" && entry.length > 0 ? entry.string() : undefined;
}

export function parseNode(text: string): NodeRecord | undefined {
  return parsed(text) as NodeRecord | undefined;
}

export function parseOwner(text: string): OwnerRecord | undefined {
  return parsed(text) as OwnerRecord | undefined;
}

export function parsePermits(text: string): PermitRecord | undefined {
  return parsed(text) as PermitRecord | undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
