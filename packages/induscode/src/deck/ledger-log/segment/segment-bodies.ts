import type { BridgeKey } from "../../ledger/index.ts";
import type { LogDisk } from "../log-disk.ts";
import { type BodyRecord, parseLedgerRecord } from "../record/record-body.ts";
import { scanRecords } from "../scan-records.ts";
import { listLedgerSegments, SWEEP_LOCK } from "./ledger-segments.ts";

/** How every record with a body starts. The id follows. */
const STARTS = ['{"op":"enroll","body":"', '{"v":2,"op":"body","body":"'];
const ID_CHARS = 32;

/** A new run looks for known bodies in the newest segments up to these limits, and stores others again. */
const MAX_SEGMENTS = 64;
const MAX_BYTES = 16 * 1024 * 1024;

/** Calls `visit` with the text of each record of a segment. Stops at damage. Returns the size of the segment. */
async function eachRecord(disk: LogDisk, path: string, visit: (text: string) => void): Promise<number> {
  try {
    const file = await disk.open(path, "read");
    try {
      const { size } = await scanRecords(file, (_, text) => {
        visit(text);
        return undefined;
      });
      return size;
    } finally {
      await file.close();
    }
  } catch {
    // Removed meanwhile, or unreadable: treat its bodies as unknown.
    return 0;
  }
}

/** Calls `visit` for each body of a segment, with its id and the text of its record. */
function eachBody(disk: LogDisk, path: string, visit: (id: string, text: string) => void): Promise<number> {
  return eachRecord(disk, path, (text) => {
    const start = STARTS.find((prefix) => text.startsWith(prefix));
    if (start !== undefined) visit(copied(text.slice(start.length, start.length + ID_CHARS)), text);
  });
}

/** A part of a text would keep all of it in memory: with 1,500 tools 7 MB of records for their ids. */
function copied(part: string): string {
  return Buffer.from(part).toString();
}

/** The ids of the bodies that a segment stores. */
export async function bodyIds(disk: LogDisk, path: string): Promise<Set<string>> {
  const ids = new Set<string>();
  await eachBody(disk, path, (id) => ids.add(id));
  return ids;
}

/** The ids of the bodies that the entries of a segment refer to. */
export async function referredBodies(disk: LogDisk, path: string): Promise<Set<string>> {
  const ids = new Set<string>();
  await eachRecord(disk, path, (text) => {
    if (!text.startsWith('{"op":"enroll","server"')) return;
    const content = parseLedgerRecord(text);
    if (content?.type === "refer") for (const id of content.bodies) ids.add(id);
  });
  return ids;
}

/** The bodies that a new run can refer to, with their keys. */
export async function knownBodies(disk: LogDisk, folder: string): Promise<Map<string, BridgeKey>> {
  const known = new Map<string, BridgeKey>();
  // Segments are being deleted: what is found now may soon be gone.
  if ((await disk.list(folder)).some((name) => name.startsWith(`${SWEEP_LOCK}.`))) return known;
  let bytes = 0;
  for (const { path } of (await listLedgerSegments(folder, { disk })).slice(-MAX_SEGMENTS).toReversed()) {
    if (bytes > MAX_BYTES) break;
    bytes += await eachBody(disk, path, (id, text) => {
      const key = KEY.exec(text)?.[1];
      if (key !== undefined) known.set(id, copied(key) as BridgeKey);
    });
  }
  return known;
}

/** The key comes right after the body. */
const KEY = /^.{0,80}"key":"(bk_\w+)"/;

/** The bodies with these ids, from any segment of a folder, newest first. */
export async function findBodies(
  disk: LogDisk,
  folder: string,
  ids: ReadonlySet<string>,
): Promise<Map<string, BodyRecord>> {
  const found = new Map<string, BodyRecord>();
  if (ids.size === 0) return found;
  for (const { path } of (await listLedgerSegments(folder, { disk })).toReversed()) {
    if (found.size === ids.size) break;
    await eachBody(disk, path, (id, text) => {
      if (!ids.has(id) || found.has(id)) return;
      const content = parseLedgerRecord(text);
      if (content?.type === "enroll" || content?.type === "body") found.set(id, content.body);
    });
  }
  return found;
}
