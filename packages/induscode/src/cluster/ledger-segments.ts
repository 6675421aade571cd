import { appendFileSync, mkdirSync } from "node:fs";
import type { JsMsg } from "@nats-io/jetstream";
import type { LogDisk } from "../deck/ledger-log/index.ts";
import { isSegmentId, segmentPath } from "../deck/ledger-log/internal.ts";
import type { ClusterConnection } from "./connect-cluster.ts";
import { Stream, subjects } from "./contract.ts";
import { messageId, readStream } from "./streams.ts";

// The ledger of a cluster is made of the same segments as that of a folder, in a stream instead of files. Each time a worker becomes the
// owner of a server, a segment begins. A message holds some bytes of one; its id names the segment, and where in it the bytes begin.

/** Says where bytes belong if the id of their message does not. */
export const PLACE_HEADER = "Indus-Place";

/** The id of a message with bytes of a segment. */
export function chunkId(segment: string, offset: number): string {
  return `${segment}.${offset}`;
}

/** Copies the ledger of a cluster into a folder, where everything that reads a ledger can read it. Resolves to the folder. */
export async function copyLedger(connection: ClusterConnection, folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const put = segmentReader((segment, bytes) =>
    appendFileSync(segmentPath(folder, segment), bytes, { mode: 0o600 }),
  );
  await readStream(connection, Stream.LEDGER, { subject: `${Stream.LEDGER}.>` }, put);
  return folder;
}

/** A segment of one server, as the stream has it. */
export interface StreamSegment {
  readonly id: string;
  readonly bytes: Buffer;
  /** The message that begins it. */
  readonly firstSeq: number;
}

/** The segments of one server, the oldest first. */
export async function segmentsOf(
  connection: ClusterConnection,
  server: string,
): Promise<readonly StreamSegment[]> {
  const found = new Map<string, { readonly chunks: Uint8Array[]; readonly firstSeq: number }>();
  const put = segmentReader((segment, bytes, seq) => {
    const known = found.get(segment) ?? { chunks: [], firstSeq: seq };
    found.set(segment, known);
    known.chunks.push(bytes);
  });
  await readStream(connection, Stream.LEDGER, { subject: subjects.ledger(server) }, put);
  return [...found].map(([id, { chunks, firstSeq }]) => ({ id, firstSeq, bytes: Buffer.concat(chunks) }));
}

const CHUNK_ID = /^(\w{26})\.(\d{1,15})$/;

/**
 * Puts the bytes of segments together. A message that the stream has twice counts once: its id says which bytes it has. Where some are
 * missing, a line tells readers that the segment is damaged.
 */
function segmentReader(
  put: (segment: string, bytes: Uint8Array, seq: number) => void,
): (message: JsMsg) => void {
  const ends = new Map<string, number>();
  return (message) => {
    const [, segment = "", at = ""] =
      CHUNK_ID.exec(message.headers?.get(PLACE_HEADER) || messageId(message)) ?? [];
    if (!isSegmentId(segment)) return;
    const end = ends.get(segment) ?? 0;
    if (Number(at) < end) return;
    if (Number(at) > end) put(segment, Buffer.from(`bytes ${end} to ${at} are missing\n`), message.seq);
    put(segment, message.data, message.seq);
    ends.set(segment, Number(at) + message.data.length);
  };
}

/** Segments in memory, for what reads them from a disk. */
export function diskOf(segments: readonly StreamSegment[]): LogDisk {
  const files = new Map(segments.map(({ id, bytes }) => [segmentPath("", id), bytes]));
  const refused = async (): Promise<never> => Promise.reject(new Error("a copy of a ledger is not written"));
  return {
    list: async () => [...files.keys()],
    open: async (path) => {
      const bytes = files.get(path);
      if (!bytes) throw Object.assign(new Error(`there is no segment ${path}`), { code: "ENOENT" });
      return {
        size: async () => bytes.length,
        read: async (position, length) => bytes.subarray(position, position + length),
        close: async () => {},
        write: refused,
        sync: refused,
        truncate: refused,
      };
    },
    remove: refused,
    makeFolder: refused,
    syncFolder: refused,
  };
}
