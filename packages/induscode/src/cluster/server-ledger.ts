import type { JetStreamApiError } from "@nats-io/jetstream";
import {
  contentHash,
  createUlidMinter,
  describeError,
  isoTime,
  mintUlid,
  systemClock,
  ulidTime,
} from "indusagi/core";
import { BridgeLedger } from "../deck/ledger/index.ts";
import {
  type DecisionRecord,
  type LedgerItem,
  type LedgerLog,
  LedgerLogError,
  type LogFile,
} from "../deck/ledger-log/index.ts";
import {
  AppendQueue,
  bodyIds,
  EntryFormat,
  findBodies,
  formatLogRecord,
  knownBodies,
  LOG_VERSION,
  referredBodies,
  segmentPath,
} from "../deck/ledger-log/internal.ts";
import type { ClusterConnection } from "./connect-cluster.ts";
import { Stream, subjects } from "./contract.ts";
import { chunkId, diskOf, PLACE_HEADER, type StreamSegment, segmentsOf } from "./ledger-segments.ts";
import { messageId } from "./streams.ts";

export interface ServerLedgerOptions {
  /** Called once with one line while NATS does not take entries. They are kept, and given to it again. */
  readonly report: (message: string) => void;
  /** Segments that began earlier are deleted. Default: 30 days. */
  readonly keepMs?: number | undefined;
}

/** How long an append waits for the acknowledgement before it is sent again. */
const ACK_MS = 2_000;
const AGAIN_MS = 250;
const MOST_AGAIN_MS = 5_000;
/** How long the end of a log waits for NATS. */
const CLOSE_MS = 3_000;
/** NATS refuses messages over 1 MB. */
const CHUNK_BYTES = 512 * 1024;
const KEEP_MS = 30 * 24 * 60 * 60 * 1_000;

/**
 * Begins a segment in the ledger of a server, for the worker that owns it. Every write names the message that this writer wrote last, so
 * of several writers only the one that began last can go on; the others are refused with `locked`. A write whose acknowledgement was lost
 * is sent again with the same id, and stored once.
 */
export async function openServerLedger(
  connection: ClusterConnection,
  server: string,
  { report, keepMs = KEEP_MS }: ServerLedgerOptions,
): Promise<LedgerLog> {
  const subject = subjects.ledger(server);
  const { segment, last, known } = await begin(connection, { server, subject });
  const path = `of server "${server}"`;
  const writer = new SegmentWriter(connection, { subject, segment, path, report, ...last });
  const format = new EntryFormat(path, 0);
  const queue = new AppendQueue<LedgerItem | { readonly op: "body"; readonly record: BodyRecord }>({
    path,
    format: (_, items, nextRecord) => format.format(items, nextRecord),
    onRefused: () => format.rollBack(),
    file: writer,
    bytes: last.bytes,
    lastSeq: 0,
  });
  const carried = await sweep(
    connection,
    { subject, known, before: systemClock.nowMs() - keepMs },
    (bodies) => queue.append(bodies.map((record) => ({ op: "body", record }))),
  );
  format.learn(await knownBodies(diskOf(carried), ""));
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      writer.endWithin(CLOSE_MS);
      await queue.end();
    })());
  return {
    segment,
    path,
    ledger: BridgeLedger.empty(),
    get nextSeq() {
      return format.nextSeq;
    },
    get bytes() {
      return queue.bytes;
    },
    append: async (items) => {
      const stored = queue.append(items);
      const refused = format.takeRefused();
      await stored;
      return { refused };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

type BodyRecord = Awaited<ReturnType<typeof findBodies>> extends Map<string, infer Body> ? Body : never;

/** Where a segment begins. */
interface Begun {
  readonly segment: string;
  /** What this writer wrote last. */
  readonly last: { readonly seq: number; readonly bytes: number };
  /** The segments before it. */
  readonly known: readonly StreamSegment[];
}

/** Writes the title of a new segment after everything that the server's ledger holds. */
async function begin(
  connection: ClusterConnection,
  { server, subject }: { readonly server: string; readonly subject: string },
): Promise<Begun> {
  const { manager } = await connection.jetStream();
  for (;;) {
    const before = await manager.streams.getMessage(Stream.LEDGER, { last_by_subj: subject });
    const known = await segmentsOf(connection, server);
    const segment = idAfter(known.at(-1)?.id);
    const title = titleOf(segment);
    const last = before?.seq ?? 0;
    const seq = await put(connection, { subject, id: chunkId(segment, 0), bytes: title, last });
    // Another writer began meanwhile: this one follows it.
    if (seq !== undefined) return { segment, last: { seq, bytes: title.length }, known };
  }
}

/** Segments are read in the order of their ids, also if the clock of this machine is behind that of the owner before. */
function idAfter(before: string | undefined): string {
  const id = mintUlid();
  if (before === undefined || id > before) return id;
  return createUlidMinter({ clock: { ...systemClock, nowMs: () => ulidTime(before) + 1 } })();
}

function titleOf(segment: string): Uint8Array {
  const title = { ledger: LOG_VERSION, segment, pid: process.pid, at: isoTime() };
  const record = formatLogRecord(0, JSON.stringify(title));
  if (!record) throw new RangeError("the title of a segment is too large");
  return record;
}

interface Chunk {
  readonly subject: string;
  readonly id: string;
  readonly bytes: Uint8Array;
  /** The last message of the subject that the writer knows. */
  readonly last: number;
}

/** The message that the writer names is not the last one of the subject. */
const WRONG_LAST = 10_071;
const WRONG_LAST_CONSTANT = 10_164;

/** Stores bytes right after a message. Returns its number, or undefined if something else was stored there. Rejects if that is not known. */
async function put(
  connection: ClusterConnection,
  { subject, id, bytes, last }: Chunk,
): Promise<number | undefined> {
  const { client, manager } = await connection.jetStream();
  try {
    const { seq } = await client.publish(subject, bytes, {
      msgID: id,
      timeout: ACK_MS,
      retries: 1,
      expect: { streamName: Stream.LEDGER, lastSubjectSequence: last },
    });
    return seq;
  } catch (thrown) {
    const code = (thrown as Partial<JetStreamApiError>).apiError?.().err_code;
    if (code !== WRONG_LAST && code !== WRONG_LAST_CONSTANT) throw thrown;
    // This one may have been stored before, and only its acknowledgement was lost.
    // The library's type does not know that both may be given.
    const after = { seq: last + 1, next_by_subj: subject } as { readonly seq: number };
    const next = await manager.streams.getMessage(Stream.LEDGER, after);
    return next && messageId({ headers: next.header }) === id ? next.seq : undefined;
  }
}

interface SegmentWriterOptions {
  readonly subject: string;
  readonly segment: string;
  readonly path: string;
  readonly report: (message: string) => void;
  readonly seq: number;
}

/** A segment in the stream as a file that only grows: what was written is stored. */
class SegmentWriter implements LogFile {
  readonly #connection: ClusterConnection;
  readonly #options: SegmentWriterOptions;
  #last: number;
  #endsAtMs = Number.POSITIVE_INFINITY;

  constructor(connection: ClusterConnection, options: SegmentWriterOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#last = options.seq;
  }

  /** What is not stored by then is given up. */
  endWithin(ms: number): void {
    this.#endsAtMs = performance.now() + ms;
  }

  async write(given: Uint8Array, position: number): Promise<number> {
    const { subject, segment, path, report } = this.#options;
    const bytes = given.subarray(0, CHUNK_BYTES);
    let delayMs = AGAIN_MS;
    for (let isFirst = true; ; isFirst = false) {
      try {
        const chunk = { subject, id: chunkId(segment, position), bytes, last: this.#last };
        const seq = await put(this.#connection, chunk);
        if (seq === undefined)
          throw new LedgerLogError("locked", path, "is written by another worker now, which owns the server");
        this.#last = seq;
        return bytes.length;
      } catch (thrown) {
        if (thrown instanceof LedgerLogError) throw thrown;
        const why = describeError(thrown);
        if (performance.now() > this.#endsAtMs)
          throw new LedgerLogError("io", path, `could not be written before its end: ${why}`, {
            cause: thrown,
          });
        if (isFirst) report(`changes of the tools of server ${path.slice(10)} wait for NATS: ${why}`);
      }
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      delayMs = Math.min(delayMs * 2, MOST_AGAIN_MS);
    }
  }

  /** A write is acknowledged when it is flushed. */
  async sync(): Promise<void> {}

  async truncate(): Promise<void> {
    throw new Error("what was stored cannot be taken back");
  }

  async size(): Promise<number> {
    throw new Error("a segment is read from the stream");
  }

  async read(): Promise<Uint8Array> {
    throw new Error("a segment is read from the stream");
  }

  async close(): Promise<void> {}
}

/** Deletes segments that ended long ago. First copies the bodies that others refer to. Returns the segments that stay. */
async function sweep(
  connection: ClusterConnection,
  {
    subject,
    known,
    before,
  }: { readonly subject: string; readonly known: readonly StreamSegment[]; readonly before: number },
  carry: (bodies: readonly BodyRecord[]) => Promise<void>,
): Promise<readonly StreamSegment[]> {
  // One ends where the next begins. So the newest stays, whose end is now.
  const ended = known.slice(1).findLastIndex(({ id }) => ulidTime(id) < before);
  const [old, kept] = [known.slice(0, ended + 1), known.slice(ended + 1)];
  const [next] = kept;
  if (old.length === 0 || !next) return known;
  const disk = diskOf(kept);
  const wanted = new Set<string>();
  for (const { id } of kept)
    for (const body of await referredBodies(disk, segmentPath("", id))) wanted.add(body);
  for (const { id } of kept) for (const body of await bodyIds(disk, segmentPath("", id))) wanted.delete(body);
  await carry([...(await findBodies(diskOf(old), "", wanted)).values()]);
  const { manager } = await connection.jetStream();
  await manager.streams.purge(Stream.LEDGER, { filter: subject, seq: next.firstSeq });
  return kept;
}

/**
 * Records decisions that were made elsewhere than at the worker that owns the server, such as an approval. Each is a segment of its own.
 * The same decision of several gateways is stored once.
 */
export async function recordDecisions(
  connection: ClusterConnection,
  decisions: readonly DecisionRecord[],
): Promise<void> {
  for (const decision of decisions) {
    const segment = mintUlid();
    const format = new EntryFormat("of decisions", 0);
    const records = format.format([decision], 1).map(({ bytes }) => bytes);
    const { at: _, ...what } = decision;
    const { client } = await connection.jetStream();
    const { headers } = await import("@nats-io/transport-node");
    const place = headers();
    place.set(PLACE_HEADER, chunkId(segment, 0));
    await client.publish(subjects.decisions(decision.server), Buffer.concat([titleOf(segment), ...records]), {
      msgID: contentHash(what),
      headers: place,
      timeout: ACK_MS,
      expect: { streamName: Stream.LEDGER },
    });
  }
}
