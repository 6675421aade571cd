import { cutText, describeError } from "indusagi/core";
import type { BridgeEntry, BridgeKey } from "../../ledger/index.ts";
import { LedgerLogError } from "../ledger-log-error.ts";
import type { DecisionRecord } from "./decision-record.ts";
import { formatLogRecord, MAX_BODY_BYTES } from "./log-record.ts";
import { type RecordBlock, recordBlocks } from "./record-blocks.ts";
import type { BodyRecord } from "./record-body.ts";
import { bodyId, MAX_DESCRIPTION_UNITS, storedBody } from "./stored-body.ts";

/** What a ledger log stores: entries of the ledger, and decisions. */
export type LedgerItem = BridgeEntry | DecisionRecord;

/** A body of a segment that will be deleted. */
export interface CarriedBody {
  readonly op: "body";
  readonly record: BodyRecord;
}

/** An entry that could not be stored. The others of its batch were. */
export interface RefusedEntry {
  readonly seq: number;
  readonly error: LedgerLogError;
}

/** The maximum number of entries in one record. */
const MAX_GROUP = 256;

/** The maximum length of a server's id plus a time. */
const MAX_STAMP_UNITS = 64 * 1024;

/** One record before it has its number. */
interface Draft {
  readonly text: string;
  /** The number of the last entry after it. */
  readonly lastSeq: number;
  /** The body that it stores. */
  readonly stores?: readonly [id: string, key: BridgeKey];
}

/** Formats items as records. Tracks the last number, and the bodies that entries can refer to. */
export class EntryFormat {
  readonly #path: string;
  /** The key under which each stored body was enrolled first. */
  readonly #known = new Map<string, BridgeKey>();
  readonly #unflushed = new Map<string, BridgeKey>();
  #flushedSeq: number;
  #nextSeq: number;
  /** The number that a reader would infer for the next entry. It differs after a refused entry. */
  #impliedSeq: number;
  #refused: RefusedEntry[] = [];

  constructor(path: string, lastSeq: number) {
    this.#path = path;
    this.#flushedSeq = lastSeq;
    this.#nextSeq = lastSeq + 1;
    this.#impliedSeq = lastSeq + 1;
  }

  /** The number that the next entry must have. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  /** Adds bodies that are stored in other segments. */
  learn(known: ReadonlyMap<string, BridgeKey>): void {
    for (const [id, key] of known) this.#known.set(id, key);
  }

  /** The entries that were refused since the last call. */
  takeRefused(): RefusedEntry[] {
    const refused = this.#refused;
    this.#refused = [];
    return refused;
  }

  /** Forgets what was formatted but not flushed, because the disk refused it. */
  rollBack(): void {
    this.#unflushed.clear();
    this.#nextSeq = this.#flushedSeq + 1;
    this.#impliedSeq = this.#nextSeq;
  }

  /** Formats items as blocks of records, numbered from `nextRecord`. Throws if an entry has the wrong number. */
  format(items: readonly (LedgerItem | CarriedBody)[], nextRecord: number): RecordBlock[] {
    this.#checkOrder(items);
    const drafts: Draft[] = [];
    let group: BridgeEntry[] = [];
    const endGroup = (): void => {
      if (group.length > 0) drafts.push(this.#groupDraft(group));
      group = [];
    };
    for (const item of items) {
      if (item.op === "body") {
        endGroup();
        drafts.push(this.#carryDraft(item.record));
        continue;
      }
      const isReference = "seq" in item && this.#isReference(item);
      if (!isReference || !belongs(group, item)) endGroup();
      if (isReference) group.push(item);
      else drafts.push("seq" in item ? this.#bodyDraft(item) : this.#noteDraft(item));
    }
    endGroup();
    return this.#blocksOf(drafts, nextRecord);
  }

  #checkOrder(items: readonly (LedgerItem | CarriedBody)[]): void {
    let expected = this.#nextSeq;
    for (const item of items) {
      if (!("seq" in item)) continue;
      if (item.seq !== expected)
        throw new LedgerLogError("out_of_order", this.#path, `expects entry ${expected}, not ${item.seq}`);
      expected += 1;
    }
  }

  #keyOf(id: string): BridgeKey | undefined {
    return this.#unflushed.get(id) ?? this.#known.get(id);
  }

  /** Whether an entry needs no body in its own record. */
  #isReference({ server, at, capability }: BridgeEntry): boolean {
    if (server.length + at.length > MAX_STAMP_UNITS) return false;
    if (!capability) return true;
    try {
      return this.#keyOf(bodyId(capability.descriptor)) !== undefined;
    } catch {
      return false;
    }
  }

  #groupDraft(group: readonly BridgeEntry[]): Draft {
    const { op, server, at } = group[0] as BridgeEntry;
    const lastSeq = group.at(-1)?.seq ?? 0;
    const seq = this.#takeSeq(group[0]?.seq ?? 0, group.length);
    const keys = group.map(({ key }) => key);
    if (op === "retire") {
      const retired = keys.length === 1 ? { key: keys[0] } : { keys };
      return { text: JSON.stringify({ op, ...retired, server, at, ...seq }), lastSeq };
    }
    const bodies = group.map(({ capability }) => (capability ? bodyId(capability.descriptor) : ""));
    const hasOwnKeys = bodies.some((id, index) => this.#keyOf(id) !== keys[index]);
    const counts = group.map((entry) => (entry.op === "enroll" ? (entry.flips ?? 0) : 0));
    const flips = counts.some((count) => count > 0) ? { flips: counts } : {};
    return {
      text: JSON.stringify({ op, server, at, bodies, keys: hasOwnKeys ? keys : undefined, ...flips, ...seq }),
      lastSeq,
    };
  }

  #bodyDraft(entry: BridgeEntry): Draft {
    const { op, key, server, at, capability, seq: lastSeq } = entry;
    try {
      if (!capability || server.length + at.length > MAX_STAMP_UNITS)
        throw new RangeError("the id of its server or its time is too long");
      const { id, tool, cut } = storedBody(capability.descriptor);
      const seq = entry.seq === this.#impliedSeq ? {} : { seq: entry.seq };
      // The body id comes first, so a search for bodies finds it without parsing the rest.
      const flips = entry.op === "enroll" && entry.flips !== undefined ? { flips: [entry.flips] } : {};
      const stamp = { key, server, at, ...flips, ...seq };
      const text = JSON.stringify({ op, body: id, ...stamp, tool, cut });
      if (Buffer.byteLength(text) > MAX_BODY_BYTES)
        throw new RangeError(`it has more than ${MAX_BODY_BYTES} bytes, even cut`);
      this.#takeSeq(entry.seq, 1);
      this.#unflushed.set(id, key);
      return { text, lastSeq, stores: [id, key] };
    } catch (cause) {
      return this.#refusal(entry, cause);
    }
  }

  #refusal({ seq, server, at }: BridgeEntry, cause: unknown): Draft {
    const shown = cutText(server, 200);
    const message = `cannot hold entry ${seq} of server "${shown}": ${describeError(cause)}`;
    this.#refused.push({ seq, error: new LedgerLogError("bad_entry", this.#path, message, { cause }) });
    this.#nextSeq = seq + 1;
    const reason = cutText(describeError(cause), 200);
    const note = { v: 2, op: "refused", server: shown, at: cutText(at, 40), seq, reason };
    return { text: JSON.stringify(note), lastSeq: seq };
  }

  #carryDraft({ id = "", key, tool, cut }: BodyRecord): Draft {
    const text = JSON.stringify({ v: 2, op: "body", body: id, key, tool, cut });
    this.#unflushed.set(id, key);
    return { text, lastSeq: this.#nextSeq - 1, stores: [id, key] };
  }

  #noteDraft({ difference, ...note }: DecisionRecord): Draft {
    const text = difference === undefined ? {} : { difference: cutText(difference, MAX_DESCRIPTION_UNITS) };
    return { text: JSON.stringify({ v: 2, ...note, ...text }), lastSeq: this.#nextSeq - 1 };
  }

  /** Counts entries. Returns the first number only if a reader would infer another one. */
  #takeSeq(first: number, count: number): { readonly seq?: number } {
    const seq = first === this.#impliedSeq ? {} : { seq: first };
    this.#nextSeq = first + count;
    this.#impliedSeq = this.#nextSeq;
    return seq;
  }

  #blocksOf(drafts: readonly Draft[], nextRecord: number): RecordBlock[] {
    const blocks = recordBlocks(drafts, nextRecord, ({ text }, seq) => this.#record(text, seq));
    let done = 0;
    return blocks.map((block) => {
      const own = drafts.slice(done, block.lastSeq - nextRecord + 1);
      done += own.length;
      return { ...block, flushed: () => this.#takeFlushed(own) };
    });
  }

  #takeFlushed(drafts: readonly Draft[]): void {
    this.#flushedSeq = drafts.at(-1)?.lastSeq ?? this.#flushedSeq;
    for (const { stores } of drafts) {
      if (!stores) continue;
      this.#known.set(...stores);
      this.#unflushed.delete(stores[0]);
    }
  }

  #record(text: string, seq: number): Uint8Array {
    const bytes = formatLogRecord(seq, text);
    if (bytes) return bytes;
    throw new LedgerLogError("bad_entry", this.#path, `cannot hold a record of ${text.length} characters`);
  }
}

function belongs(group: readonly BridgeEntry[], item: LedgerItem): boolean {
  const [first] = group;
  if (!first) return true;
  return (
    group.length < MAX_GROUP && first.op === item.op && first.server === item.server && first.at === item.at
  );
}
