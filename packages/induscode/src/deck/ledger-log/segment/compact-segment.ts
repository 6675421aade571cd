import type { BridgeKey } from "../../ledger/index.ts";
import { writeLogBytes } from "../log-disk.ts";
import { formatLogRecord } from "../record/log-record.ts";
import { recordBlocks } from "../record/record-blocks.ts";
import { type EntriesContent, parseLedgerRecord, parseSegmentTitle } from "../record/record-body.ts";
import { scanRecords } from "../scan-records.ts";
import type { SegmentPlace } from "./open-segment.ts";
import { findBodies } from "./segment-bodies.ts";

/**
 * Replaces a segment by one without repetitions. The new file is flushed, then atomically renamed over the old one, so a crash
 * leaves, and a reader sees, one of the two. A damaged or torn segment stays as it is. The caller holds the lock of the
 * segment. Rejects if the disk refuses.
 */
export async function compactSegment(place: SegmentPlace): Promise<boolean> {
  const { disk, path } = place;
  if (!disk.rename) return false;
  const texts = await textsOf(place);
  if (!texts) return false;
  const records = await withoutRepetitions(texts, place);
  const temporary = `${path}.compact`;
  await disk.remove(temporary).catch(() => {}); // Left by a process that was killed.
  const file = await disk.open(temporary, "create");
  try {
    let position = 0;
    for (const { bytes } of recordBlocks(records, 0, recordOf)) {
      await writeLogBytes(file, bytes, position);
      position += bytes.length;
    }
    await file.sync();
  } catch (thrown) {
    await file.close().catch(() => {});
    await disk.remove(temporary).catch(() => {});
    throw thrown;
  }
  await file.close();
  await disk.rename(temporary, path);
  return true;
}

/** The records of a whole segment; the first is its title. */
async function textsOf({ disk, path }: SegmentPlace): Promise<string[] | undefined> {
  const texts: string[] = [];
  const file = await disk.open(path, "read");
  try {
    const { size, goodBytes, damage } = await scanRecords(file, (_, text) => void texts.push(text));
    return damage || goodBytes !== size || !parseSegmentTitle(texts[0] ?? "") ? undefined : texts;
  } finally {
    await file.close();
  }
}

function recordOf(text: string, seq: number): Uint8Array {
  const bytes = formatLogRecord(seq, text);
  if (!bytes) throw new RangeError("a record is too large");
  return bytes;
}

/** One entry of a record. */
interface Event {
  readonly key: BridgeKey;
  /** The body, for an enroll. */
  readonly form: string | undefined;
  /** How many changes it stands for. */
  count: number;
  isKept: boolean;
}

/**
 * Keeps, for each key, the first entry of every form, the first retirement, the last enrollment and the last entry: what was
 * there, since when, and what is live. The last enrollment counts the dropped ones. Bodies and everything that is not an entry
 * stay as they are.
 */
async function withoutRepetitions(texts: readonly string[], place: SegmentPlace): Promise<string[]> {
  const contents = texts.map((text) => parseLedgerRecord(text));
  const keys = await bodyKeys(contents, place);
  const events = contents.map((content) => (isEntries(content) ? eventsOf(content, keys) : undefined));
  const byKey = new Map<BridgeKey, Event[]>();
  for (const event of events.flatMap((each) => each ?? [])) {
    const known = byKey.get(event.key);
    if (known) known.push(event);
    else byKey.set(event.key, [event]);
  }
  for (const all of byKey.values()) thinOut(all);
  return texts.flatMap((text, at) => {
    const own = events[at];
    return own ? recordText(text, own) : text;
  });
}

function isEntries(content: ReturnType<typeof parseLedgerRecord>): content is EntriesContent {
  return content?.type === "enroll" || content?.type === "refer" || content?.type === "retire";
}

function eventsOf(content: EntriesContent, keys: ReadonlyMap<string, BridgeKey>): Event[] {
  if (content.type === "retire")
    return content.keys.map((key) => ({ key, form: undefined, count: 0, isKept: false }));
  const countOf = (at: number): number => content.flips?.[at] || 1;
  if (content.type === "enroll") {
    const { key, id = "" } = content.body;
    return [{ key, form: id, count: countOf(0), isKept: true }]; // It holds a body.
  }
  return content.bodies.map((form, at) => {
    const key = content.keys?.[at] ?? keys.get(form) ?? (`bk_${form}` as BridgeKey);
    return { key, form, count: countOf(at), isKept: false };
  });
}

function thinOut(events: readonly Event[]): void {
  const forms = new Set<string>();
  for (const event of events) {
    if (event.form === undefined || forms.has(event.form)) continue;
    forms.add(event.form);
    event.isKept = true;
  }
  const enrolled = events.filter(({ form }) => form !== undefined);
  const last = enrolled.at(-1);
  for (const event of [events.find(({ form }) => form === undefined), last, events.at(-1)])
    if (event) event.isKept = true;
  for (const event of enrolled) if (last && !event.isKept) last.count += event.count;
}

/** A record with the kept entries. Entries are renumbered from 1, so no record needs the number of its first. */
function recordText(text: string, events: readonly Event[]): string | [] {
  const kept = events.filter(({ isKept }) => isKept);
  if (kept.length === 0) return [];
  const { seq: _, flips: __, ...members } = JSON.parse(text) as { readonly [member: string]: unknown };
  const stay = (values: unknown): unknown =>
    Array.isArray(values) ? values.filter((___, at) => events[at]?.isKept) : undefined;
  const lists = Object.fromEntries(
    ["keys", "bodies"].flatMap((name) => (name in members ? [[name, stay(members[name])]] : [])),
  );
  const counts = kept.map(({ count }) => (count > 1 ? count : 0));
  const flips = counts.some((count) => count > 0) ? { flips: counts } : {};
  return JSON.stringify({ ...members, ...lists, ...flips });
}

/** The key under which each referenced body was first enrolled. */
async function bodyKeys(
  contents: readonly ReturnType<typeof parseLedgerRecord>[],
  { disk, folder }: SegmentPlace,
): Promise<Map<string, BridgeKey>> {
  const keys = new Map<string, BridgeKey>();
  const missing = new Set<string>();
  for (const content of contents) {
    if (content?.type === "enroll" || content?.type === "body")
      keys.set(content.body.id ?? "", content.body.key);
    if (content?.type === "refer") for (const id of content.bodies) missing.add(id);
  }
  for (const id of keys.keys()) missing.delete(id);
  for (const [id, { key }] of await findBodies(disk, folder, missing)) keys.set(id, key);
  return keys;
}
