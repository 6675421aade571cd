import type { KV } from "@nats-io/kv";
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import type { CallPlaces } from "../gateway/index.ts";
import { type PermitRecord, subjects } from "./contract.ts";
import type { Mirror } from "./mirror.ts";
import type { NodeLease } from "./node-lease.ts";

/**
 * How many calls of a token run at once, in the whole cluster. One record for each token says how many permits each gateway has; their
 * sum never exceeds the token's limit, because the record is changed by compare-and-set. A gateway borrows some at a time, so most calls
 * ask nobody, and gives back those that it does not use: after a second, or at once when another gateway needs them. Those of a gateway
 * whose lease has ended, and with it its calls, are free again.
 */
export interface Permits {
  /** The places of a token. `most`: its limit. */
  of(token: string, most: number): CallPlaces;
  /** Another gateway needs permits. */
  take(message: Msg): void;
  /** Gives everything back that is not in use. Never rejects. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface PermitsOptions {
  readonly nats: NatsConnection;
  readonly bucket: KV;
  readonly records: Mirror<PermitRecord>;
  readonly lease: NodeLease;
  /** Whether a gateway's lease is in NATS now. */
  readonly lives: (gateway: string) => Promise<boolean>;
  /** How many gateways there are. */
  readonly gateways: () => number;
  readonly report: (message: string) => void;
}

const IDLE_MS = 1_000;
const ASK_MS = 1_000;
/** After a refusal the next calls are refused without asking again. */
const REFUSE_MS = 50;
/** The calls of a gateway whose lease has ended may take so long to end. */
const GONE_MS = 1_000;
const MAX_TRIES = 30;
const MAX_PAUSE_MS = 8;

export function openPermits(options: PermitsOptions): Permits {
  return new ClusterPermits(options);
}

class ClusterPermits implements Permits {
  readonly #options: PermitsOptions;
  readonly #tokens = new Map<string, TokenPermits>();
  readonly #idle: NodeJS.Timeout;

  constructor(options: PermitsOptions) {
    this.#options = options;
    options.records.onChange((token) => this.#tokens.get(token)?.changed());
    this.#idle = setInterval(() => {
      for (const permits of this.#tokens.values()) permits.giveBackIdle();
    }, IDLE_MS).unref();
  }

  of(token: string, most: number): CallPlaces {
    const known = this.#tokens.get(token);
    if (known?.most === most) return known;
    const made = new TokenPermits(token, most, this.#options);
    this.#tokens.set(token, made);
    return made;
  }

  take(message: Msg): void {
    const { token } = message.json<{ readonly token: string }>();
    const giving = this.#tokens.get(token)?.giveBack() ?? Promise.resolve(0);
    void giving.then((given) => message.respond(JSON.stringify({ given })));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#idle);
    await Promise.all([...this.#tokens.values()].map((permits) => permits.giveBack()));
  }
}

type End = () => void;

class TokenPermits implements CallPlaces {
  readonly most: number;
  readonly #token: string;
  readonly #options: PermitsOptions;
  /** As the record says, as far as we know. */
  #held = 0;
  #version = 0;
  /** From when permits are given back until the record was read again, only those that stay may be used. */
  #kept: number | undefined;
  /** Another lease means that what we had may have been given to others. */
  #lease: number;
  #inUse = 0;
  #mostInUse = 0;
  /** Another gateway needs one, and all were in use. */
  #isOwing = false;
  #refuseUntilMs = 0;
  #waiting: ((end: End | undefined) => void)[] = [];
  #isBorrowing = false;
  /** Changes of the record by us, one at a time. */
  #writing: Promise<unknown> = Promise.resolve();
  /** Since when the lease of a holder is gone. */
  readonly #goneSince = new Map<string, number>();

  constructor(token: string, most: number, options: PermitsOptions) {
    this.#token = token;
    this.most = most;
    this.#options = options;
    this.#lease = options.lease.generation;
    this.changed();
  }

  begin(): End | undefined | Promise<End | undefined> {
    const { lease } = this.#options;
    // Others will give our permits away soon.
    if (!lease.isSure) return undefined;
    if (this.#lease !== lease.generation) {
      this.#lease = lease.generation;
      this.#held = 0;
    }
    if (this.#waiting.length === 0 && this.#inUse < this.#usable) return this.#use();
    if (performance.now() < this.#refuseUntilMs) return undefined;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (!this.#isBorrowing) void this.#borrow();
    });
  }

  /** The record may have changed. */
  changed(): void {
    const record = this.#options.records.get(this.#token);
    if (record && record.version > this.#version) this.#learn(record);
  }

  /** Gives back what no call uses. Resolves to how many these were. */
  giveBack(): Promise<number> {
    if (this.#inUse >= this.#held && this.#held > 0) this.#isOwing = true;
    return this.#reduceTo(() => this.#inUse);
  }

  giveBackIdle(): void {
    const needed = Math.max(this.#mostInUse, this.#inUse);
    this.#mostInUse = this.#inUse;
    const held = this.#options.records.get(this.#token)?.holders[this.#options.lease.id] ?? 0;
    if (Math.max(held, this.#held) > needed) void this.#reduceTo(() => Math.max(needed, this.#inUse));
  }

  get #usable(): number {
    return this.#kept === undefined ? this.#held : Math.min(this.#held, this.#kept);
  }

  #use(): End {
    this.#inUse += 1;
    this.#mostInUse = Math.max(this.#mostInUse, this.#inUse);
    return () => {
      this.#inUse -= 1;
      if (!this.#isOwing) return;
      this.#isOwing = false;
      void this.#reduceTo(() => this.#inUse);
    };
  }

  #learn({ version, holders }: PermitRecord): void {
    this.#version = version;
    this.#held = holders[this.#options.lease.id] ?? 0;
  }

  /** Serves those who wait, together. */
  async #borrow(): Promise<void> {
    this.#isBorrowing = true;
    let hasAsked = false;
    try {
      for (let tries = 0; this.#waiting.length > 0 && tries < MAX_TRIES; tries++) {
        while (this.#inUse < this.#usable) {
          const next = this.#waiting.shift();
          if (!next) return;
          next(this.#use());
        }
        const found = await this.#change((record) => this.#withMore(record));
        if (found === "conflict") await pause(Math.random() * MAX_PAUSE_MS);
        if (found !== "unchanged") continue;
        if (hasAsked || !(await this.#askOthers())) break;
        hasAsked = true;
      }
    } catch {
      // NATS does not answer: nobody knows how many calls run.
    } finally {
      this.#isBorrowing = false;
      const refused = this.#waiting.splice(0);
      if (refused.length > 0) this.#refuseUntilMs = performance.now() + REFUSE_MS;
      for (const next of refused) next(undefined);
    }
  }

  async #withMore(record: PermitRecord): Promise<PermitRecord["holders"] | undefined> {
    const { lease, gateways } = this.#options;
    const holders = await this.#withoutGone(record.holders);
    const taken = Object.values(holders).reduce((sum, count) => sum + count, 0);
    const free = this.most - taken;
    if (free <= 0) return undefined;
    const share = Math.floor(this.most / (2 * Math.max(1, gateways())));
    const more = Math.min(free, Math.max(1, this.#waiting.length, share));
    return { ...holders, [lease.id]: (holders[lease.id] ?? 0) + more };
  }

  async #withoutGone(holders: PermitRecord["holders"]): Promise<PermitRecord["holders"]> {
    const { lease, lives } = this.#options;
    const kept: { [gateway: string]: number } = {};
    for (const [gateway, count] of Object.entries(holders)) {
      if (gateway === lease.id || (await lives(gateway))) this.#goneSince.delete(gateway);
      else {
        const since = this.#goneSince.get(gateway) ?? performance.now();
        this.#goneSince.set(gateway, since);
        if (performance.now() - since >= GONE_MS) continue;
      }
      kept[gateway] = count;
    }
    return kept;
  }

  /** Asks the other holders for what they do not use. Whether anything came. */
  async #askOthers(): Promise<boolean> {
    const { nats, records, lease } = this.#options;
    const holders = Object.keys(records.get(this.#token)?.holders ?? {}).filter((id) => id !== lease.id);
    const asked = JSON.stringify({ token: this.#token });
    const answers = holders.map((id) =>
      nats.request(subjects.permits(id), asked, { timeout: ASK_MS }).then(
        (answer) => answer.json<{ readonly given: number }>().given,
        () => 0,
      ),
    );
    return (await Promise.all(answers)).some((given) => given > 0);
  }

  #reduceTo(needed: () => number): Promise<number> {
    const reducing = this.#writing.then(async () => {
      let given = 0;
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const done = await this.#changeNow((record) => {
          const { [this.#options.lease.id]: held = 0, ...others } = record.holders;
          const kept = Math.min(held, needed());
          given = held - kept;
          if (given <= 0) return undefined;
          this.#kept = kept;
          return kept > 0 ? { ...others, [this.#options.lease.id]: kept } : others;
        });
        if (done === "unchanged") return 0;
        if (done === "changed") return given;
        await pause(Math.random() * MAX_PAUSE_MS);
      }
      return 0;
    });
    const settled = reducing.catch(() => 0);
    this.#writing = settled;
    return settled;
  }

  #change(change: ChangeHolders): Promise<Changed> {
    const changing = this.#writing.then(() => this.#changeNow(change));
    this.#writing = changing.catch(() => {});
    return changing;
  }

  async #changeNow(change: ChangeHolders): Promise<Changed> {
    const { bucket } = this.#options;
    const entry = await bucket.get(this.#token);
    const isThere = entry?.operation === "PUT";
    const record = isThere ? entry.json<PermitRecord>() : { version: this.#version, holders: {} };
    if (record.version > this.#version) this.#learn(record);
    const holders = await change(record);
    if (!holders) {
      this.#kept = undefined;
      return "unchanged";
    }
    const next: PermitRecord = { version: Math.max(record.version, this.#version) + 1, holders };
    const text = JSON.stringify(next);
    try {
      if (isThere) await bucket.update(this.#token, text, entry.revision);
      else await bucket.create(this.#token, text);
    } catch {
      // Somebody else was first, or the answer was lost: the record decides.
      return "conflict";
    }
    // Reads it back: a leader that was replaced may have acknowledged in vain.
    const kept = await bucket.get(this.#token);
    if (kept?.operation !== "PUT") return "conflict";
    const now = kept.json<PermitRecord>();
    if (now.version >= this.#version) this.#learn(now);
    this.#kept = undefined;
    return now.version >= next.version ? "changed" : "conflict";
  }
}

type ChangeHolders = (
  record: PermitRecord,
) => PermitRecord["holders"] | undefined | Promise<PermitRecord["holders"] | undefined>;
type Changed = "changed" | "unchanged" | "conflict";

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
