import type { CallRecord } from "../gateway/operations/audit/internal.ts";
import type { Sparkline } from "./contract.ts";

const BUCKET_MS = 60_000;
const BUCKETS = 60;

/** The outcomes that count as errors of a server. A refused or cancelled call is not its fault. */
const BAD: ReadonlySet<string> = new Set(["error", "timeout", "failed"]);

export function isError({ outcome }: Pick<CallRecord, "outcome">): boolean {
  return BAD.has(outcome);
}

interface Bucket {
  calls: number;
  errors: number;
}

/** How many calls each server had in each minute of the last hour. */
export class Activity {
  /** By server, then by minute since 1970. */
  readonly #servers = new Map<string, Map<number, Bucket>>();

  /** Runs for each call while somebody looks. */
  note(record: Pick<CallRecord, "server" | "outcome">, atMs: number): void {
    if (record.server === undefined) return;
    const bucket = this.#bucket(record.server, Math.floor(atMs / BUCKET_MS));
    bucket.calls += 1;
    if (record.outcome !== "ok" && isError(record)) bucket.errors += 1;
  }

  #bucket(server: string, minute: number): Bucket {
    const minutes = this.#servers.get(server) ?? new Map<number, Bucket>();
    const known = minutes.get(minute);
    if (known) return known;
    const bucket = { calls: 0, errors: 0 };
    minutes.set(minute, bucket);
    this.#servers.set(server, minutes);
    const [oldest] = minutes.keys();
    if (minutes.size > 2 * BUCKETS && oldest !== undefined) minutes.delete(oldest);
    return bucket;
  }

  of(server: string, nowMs: number = Date.now()): Sparkline {
    const first = Math.floor(nowMs / BUCKET_MS) - BUCKETS + 1;
    const minutes = this.#servers.get(server);
    const buckets = Array.from({ length: BUCKETS }, (_, at) => minutes?.get(first + at));
    return {
      fromMs: first * BUCKET_MS,
      bucketMs: BUCKET_MS,
      calls: buckets.map((bucket) => bucket?.calls ?? 0),
      errors: buckets.map((bucket) => bucket?.errors ?? 0),
    };
  }
}
