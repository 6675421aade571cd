import { type BridgeEntry, type BridgeKey, replayedCapability } from "../ledger/index.ts";
import type { LedgerNote } from "./record/decision-record.ts";
import {
  type BodyRecord,
  type EntriesContent,
  parseLedgerRecord,
  type RecordContent,
} from "./record/record-body.ts";

/** Receives the content of a segment in order. */
export interface EntrySink {
  readonly onEntry: (entry: BridgeEntry) => void;
  readonly onNote?: ((note: LedgerNote) => void) | undefined;
}

/** Delivers an entry or note later. */
type Waiting = () => void;

/**
 * Turns the records of a segment into entries. An entry that refers to a body in another segment waits, with those after it,
 * until `finish` gets the missing bodies.
 */
export class EntryReader {
  readonly #sink: EntrySink;
  /** Bodies of this segment, not indexed until an entry refers to one: in most segments none does. */
  readonly #stored: BodyRecord[] = [];
  readonly #indexed = new Map<string, BodyRecord>();
  readonly #missing = new Set<string>();
  readonly #waiting: Waiting[] = [];
  #lastSeq = 0;

  constructor(sink: EntrySink) {
    this.#sink = sink;
  }

  /** The number of the last entry. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** The bodies that entries refer to and this segment does not have. */
  get missing(): ReadonlySet<string> {
    return this.#missing;
  }

  /** Takes one record. Returns a message if this version cannot read it. */
  take(record: number, text: string): string | undefined {
    const content = parseLedgerRecord(text);
    if (!content) return `record ${record} is not one that this version can read`;
    this.#accept(content);
    return undefined;
  }

  /** Delivers the waiting entries. */
  finish(found: ReadonlyMap<string, BodyRecord>): void {
    for (const [id, body] of found) this.#indexed.set(id, body);
    for (const pass of this.#waiting.splice(0)) pass();
  }

  #accept(content: RecordContent): void {
    if (content.type === "newer") return;
    if (content.type === "note") this.#pass(() => this.#sink.onNote?.(content.note));
    else if (content.type === "body") this.#keep(content.body);
    else this.#acceptEntries(content);
  }

  #acceptEntries(content: EntriesContent): void {
    const { server, at, seq, flips } = content;
    const first = seq ?? this.#lastSeq + 1;
    if (content.type === "retire") {
      this.#lastSeq = first + content.keys.length - 1;
      for (const [index, key] of content.keys.entries())
        this.#emit(Object.freeze({ op: "retire", key, server, seq: first + index, at }));
      return;
    }
    if (content.type === "enroll") {
      this.#lastSeq = first;
      this.#keep(content.body);
      this.#emit(enrolled(content.body, { server, at, seq: first, flips: flips?.[0] }));
      return;
    }
    this.#lastSeq = first + content.bodies.length - 1;
    for (const [index, id] of content.bodies.entries()) {
      if (!this.#body(id)) this.#missing.add(id);
      const key = content.keys?.[index];
      this.#pass(() => {
        const body = this.#body(id) ?? lostBody(id, server);
        const stamp = { server, at, seq: first + index, flips: flips?.[index] };
        this.#sink.onEntry(enrolled(key ? { ...body, key } : body, stamp));
      });
    }
  }

  #emit(entry: BridgeEntry): void {
    if (this.#waiting.length === 0) this.#sink.onEntry(entry);
    else this.#waiting.push(() => this.#sink.onEntry(entry));
  }

  #pass(deliver: Waiting): void {
    if (this.#missing.size === 0) deliver();
    else this.#waiting.push(deliver);
  }

  #keep(body: BodyRecord): void {
    if (body.id !== undefined) this.#stored.push(body);
  }

  #body(id: string): BodyRecord | undefined {
    for (const body of this.#stored.splice(0)) this.#indexed.set(body.id ?? "", body);
    return this.#indexed.get(id);
  }
}

function enrolled({ key, tool, cut }: BodyRecord, { server, at, seq, flips }: EnrollStamp): BridgeEntry {
  const facts = cut && { isCut: true, fingerprint: cut.fingerprint };
  const capability = replayedCapability(tool, server, facts);
  const entry = { op: "enroll", key, server, capability, seq, at } as const;
  return Object.freeze(flips ? { ...entry, flips } : entry);
}

type EnrollStamp = Pick<BridgeEntry, "server" | "at" | "seq"> & { readonly flips: number | undefined };

/** A placeholder for a body whose segment was removed by hand. It counts as cut, so it is never offered. */
function lostBody(id: string, server: string): BodyRecord {
  const description = `The description of this tool of server "${server}" was stored in a segment that no longer exists.`;
  return {
    key: `bk_${id}` as BridgeKey,
    tool: { name: `unknown_${id.slice(0, 8)}`, description, parameters: { type: "object" } },
    cut: { fingerprint: id, units: 0 },
  };
}
