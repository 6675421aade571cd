import type { KV } from "@nats-io/kv";
import { describeError, isoTime } from "indusagi/core";
import { productVersion } from "../boot/internal.ts";
import { type ClusterConnection, patiently } from "./connect-cluster.ts";
import { Bucket, FENCE_AT, type NodeRecord, type NodeRole } from "./contract.ts";

/** What a node may change about itself. */
type NodeDetails = Pick<NodeRecord, "labels" | "load" | "capacity" | "draining">;

export interface LeaseOptions {
  readonly role: NodeRole;
  readonly name: string;
  readonly details?: NodeDetails;
  /** Called once if it could not be renewed in time: others will believe that this node has ended. Absent: it is taken again. */
  readonly onLost?: ((why: string) => void) | undefined;
  /** Called with each renewal, and for how long this node may stand still after it. */
  readonly onRenewed?: ((mayStallMs: number) => void) | undefined;
  readonly report: (message: string) => void;
}

/** This node in the cluster, for as long as its lease is renewed. */
export interface NodeLease {
  readonly id: string;
  readonly leaseMs: number;
  /** Whether others certainly still count on this node. */
  readonly isSure: boolean;
  /** How long NATS has not answered. */
  readonly silentMs: number;
  /** Grows whenever the lease was not sure for a while. */
  readonly generation: number;
  /** Publishes other details, with the next renewal or at once. */
  tell(details: NodeDetails): Promise<void>;
  /** Gives it up. Never rejects. */
  release(): Promise<void>;
}

/** How often it is renewed in its time. An election of NATS takes 4 to 10 s, and may begin just before a renewal. */
const RENEWALS = 10;
/** The part of the lease for which NATS may take to answer. */
const ANSWER_AT = 0.25;
/** The pause before it is tried again. */
const AGAIN_AT = 0.0125;
/** After this part of the lease without a renewal another NATS server is tried. */
const RECONNECT_AT = 0.45;
/** The part of the lease that a node has to end its servers itself, before its guard does. */
const STALL_GRACE = 0.1;
const ID_BYTES = 12;

export async function takeLease(connection: ClusterConnection, options: LeaseOptions): Promise<NodeLease> {
  const bucket = await connection.bucket(Bucket.NODES);
  const { ttl } = await patiently(() => bucket.status());
  const lease = new Lease(bucket, ttl, options, () => connection.nats.reconnect().catch(() => {}));
  await lease.take();
  return lease;
}

class Lease implements NodeLease {
  readonly id: string;
  readonly leaseMs: number;
  readonly #bucket: KV;
  readonly #options: LeaseOptions;
  readonly #reconnect: () => Promise<void>;
  #record: NodeRecord;
  #revision = 0;
  /** When the renewal that was acknowledged last was sent. */
  #renewedMs = 0;
  #generation = 0;
  /** When another NATS server was last tried. */
  #reconnectedMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #fence: NodeJS.Timeout | undefined;
  /** That renewals fail now. */
  #isReported = false;
  #isOver = false;
  #renewing: Promise<void> = Promise.resolve();

  constructor(bucket: KV, leaseMs: number, options: LeaseOptions, reconnect: () => Promise<void>) {
    this.#reconnect = reconnect;
    const { role, name, details } = options;
    // Not base64url: an id that began with "-" would be a flag to `indus cluster forget`.
    this.id = Buffer.from(crypto.getRandomValues(new Uint8Array(ID_BYTES))).toString("hex");
    this.leaseMs = leaseMs;
    this.#bucket = bucket;
    this.#options = options;
    this.#record = { role, id: this.id, name, version: productVersion(), startedAt: isoTime(), ...details };
  }

  get isSure(): boolean {
    return !this.#isOver && performance.now() - this.#renewedMs < this.leaseMs * FENCE_AT;
  }

  get generation(): number {
    return this.#generation;
  }

  get silentMs(): number {
    return performance.now() - this.#renewedMs;
  }

  async take(): Promise<void> {
    const sentMs = performance.now();
    this.#revision = await patiently(async () => {
      try {
        return await this.#bucket.create(this.id, JSON.stringify(this.#record));
      } catch (thrown) {
        // It may have been stored although its answer was lost. Nobody else has this id.
        const entry = await this.#bucket.get(this.id);
        if (entry?.operation === "PUT") return entry.revision;
        throw thrown;
      }
    });
    this.#renewed(sentMs);
  }

  async tell(details: NodeDetails): Promise<void> {
    this.#record = { ...this.#record, ...details };
    await this.#renew();
  }

  async release(): Promise<void> {
    if (this.#isOver) return;
    this.#end();
    await this.#renewing;
    await this.#bucket.delete(this.id, { previousSeq: this.#revision }).catch(() => {});
  }

  /** One at a time: each needs the revision that the one before made. */
  #renew(): Promise<void> {
    this.#renewing = this.#renewing.then(() => this.#renewNow());
    return this.#renewing;
  }

  async #renewNow(): Promise<void> {
    if (this.#isOver) return;
    const sentMs = performance.now();
    try {
      this.#revision = await this.#inTime(
        this.#bucket.update(this.id, JSON.stringify(this.#record), this.#revision),
      );
      this.#renewed(sentMs);
    } catch (thrown) {
      if (this.#isOver) return;
      await this.#lookAgain(thrown);
    }
  }

  /** A renewal may have been stored although its answer was lost. */
  async #lookAgain(cause: unknown): Promise<void> {
    if (this.silentMs > this.leaseMs * RECONNECT_AT && this.#reconnectedMs < this.#renewedMs) {
      // The server that we are connected to may be cut off from the others.
      this.#reconnectedMs = performance.now();
      await this.#reconnect();
    }
    try {
      const entry = await this.#inTime(this.#bucket.get(this.id));
      if (this.#isOver) return;
      if (!entry || entry.operation !== "PUT") {
        if (this.#options.onLost) return this.#lose("its lease was taken away");
        return await this.take();
      }
      this.#revision = entry.revision;
    } catch {
      if (!this.#isReported)
        this.#options.report(
          `the lease of this ${this.#record.role} is not renewed: ${describeError(cause)}; trying again`,
        );
      this.#isReported = true;
    }
    this.#schedule(this.leaseMs * AGAIN_AT);
  }

  /** With a short lease there is no time to wait as long as NATS does. */
  async #inTime<Value>(asked: Promise<Value>): Promise<Value> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("NATS did not answer in time")), this.leaseMs * ANSWER_AT);
    });
    try {
      return await Promise.race([asked, late]);
    } finally {
      clearTimeout(timer);
      asked.catch(() => {});
    }
  }

  #renewed(sentMs: number): void {
    if (performance.now() - this.#renewedMs >= this.leaseMs * FENCE_AT) this.#generation += 1;
    this.#renewedMs = sentMs;
    this.#isReported = false;
    this.#schedule(this.leaseMs / RENEWALS);
    clearTimeout(this.#fence);
    if (!this.#options.onLost) return;
    const sinceMs = performance.now() - sentMs;
    // A node that lives ends its servers itself before.
    this.#options.onRenewed?.(this.leaseMs * (FENCE_AT + STALL_GRACE) - sinceMs);
    const leftMs = this.leaseMs * FENCE_AT - sinceMs;
    this.#fence = setTimeout(() => this.#lose("its lease could not be renewed"), Math.max(0, leftMs));
    this.#fence.unref();
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    this.#timer = setTimeout(() => void this.#renew(), delayMs);
    this.#timer.unref();
  }

  #lose(why: string): void {
    if (this.#isOver) return;
    this.#end();
    this.#options.onLost?.(why);
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#fence);
  }
}
