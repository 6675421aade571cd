import { readFile, stat, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";
import { tempDir, verifies } from "@indus/testkit";
import {
  BridgeLedger,
  bridgeFingerprint,
  bridgeUlidKey,
  type DecisionRecord,
  type LedgerNote,
  openLedgerLog,
  readLedgerLog,
  replayLedgerLog,
} from "induscode/deck";
import { expect } from "vitest";
import { AT, asData, sampleCapability, sampleDescriptor, sampleLedger } from "../ledger/sample-tools.ts";

const OLD = fileURLToPath(new URL("fixtures/01M7GY47ZTKVWA0HT4C5ZY64W4.log", import.meta.url));

const DECISION: DecisionRecord = {
  op: "quarantine",
  server: "fs",
  tool: "t1",
  at: AT,
  before: "a".repeat(32),
  after: "b".repeat(32),
  difference: "- old\n+ new",
  reason: "a new required member",
};

/** An intact record with any content. */
function recordOf(seq: number, body: object): Buffer {
  const text = JSON.stringify(body);
  const counts = `${seq} ${Buffer.byteLength(text)} `;
  const checksum = crc32(Buffer.from(text), crc32(counts)).toString(16).padStart(8, "0");
  return Buffer.from(`${counts}${checksum} ${text}\n`);
}

function ledgerOf(tools: readonly [tool: string, listing: object][]): BridgeLedger {
  return tools.reduce(
    (ledger, [tool, listing]) =>
      ledger.enroll({ capability: sampleCapability("fs", tool, listing), server: "fs" }, AT),
    BridgeLedger.empty(),
  );
}

verifies("ledger:log-version-1", "a segment of version 1 is read, and continued", async () => {
  await using dir = await tempDir();
  const segment = "01M7GY47ZTKVWA0HT4C5ZY64W4";
  const bytes = await readFile(OLD);
  await writeFile(dir.at(`${segment}.log`), bytes);
  const replay = await replayLedgerLog(dir.at(`${segment}.log`));
  expect(replay).toMatchObject({ state: "whole", lastSeq: 10, title: { ledger: 1 } });
  expect(replay.ledger?.liveCapabilities().map(({ name }) => name)).toEqual([
    "fs__t1",
    "fs__t2",
    "fs__t5",
    "fs__t6",
  ]);
  const log = replay.ledger?.log ?? [];
  expect(log[6]?.capability?.descriptor.definition).toMatchObject({
    title: "Log",
    description: "line\nfeed \u0000 \u2028 😀 ü",
    _meta: { deep: [[null]] },
  });
  await using again = await openLedgerLog(dir.path, { segment });
  expect(again.nextSeq).toBe(11);
  await again.append([DECISION, ...sampleLedger(11, again.ledger).log.slice(10)]);
  const after = await replayLedgerLog(again.path);
  expect(after).toMatchObject({ state: "whole", lastSeq: 11 });
  expect((await readFile(again.path)).subarray(0, bytes.length).equals(bytes)).toBe(true);
});

verifies(
  "ledger:log-records",
  "decisions are read in order with the entries and change no live view",
  async () => {
    await using dir = await tempDir();
    const { log } = sampleLedger(4);
    await using writer = await openLedgerLog(dir.path);
    await writer.append([...log.slice(0, 2), DECISION, ...log.slice(2)]);
    await writer.append([{ ...DECISION, op: "approve" }]);
    expect(writer.nextSeq).toBe(5);
    const seen: unknown[] = [];
    const onNote = (note: LedgerNote) => void seen.push(note);
    await readLedgerLog(writer.path, ({ seq }) => seen.push(seq), { onNote });
    expect(seen).toEqual([1, 2, DECISION, 3, 4, { ...DECISION, op: "approve" }]);
    const replay = await replayLedgerLog(writer.path);
    expect(asData(replay.ledger?.log ?? [])).toEqual(asData(log));
  },
);

verifies(
  "ledger:log-roundtrip",
  "a segment of several chunks, some of them with characters beyond ASCII, is read as it was written",
  async () => {
    await using dir = await tempDir();
    const words = "Reads a record and returns it. ".repeat(60);
    const { log } = ledgerOf(
      Array.from({ length: 900 }, (_, at) => [
        `t${at}`,
        { description: `${words}${at > 500 && at % 100 === 0 ? "ü😀\u2028" : at}` },
      ]),
    );
    await using writer = await openLedgerLog(dir.path);
    await writer.append(log);
    expect((await stat(writer.path)).size).toBeGreaterThan(3 * 512 * 1024);
    const replay = await replayLedgerLog(writer.path);
    expect(replay).toMatchObject({ state: "whole", lastSeq: 900 });
    expect(asData(replay.ledger?.log ?? [])).toEqual(asData(log));
  },
);

verifies(
  "ledger:log-records",
  "an unknown record of a newer version is kept and skipped; any other unknown record is damage",
  async () => {
    await using dir = await tempDir();
    const { log } = sampleLedger(3);
    const writer = await openLedgerLog(dir.path);
    await writer.append(log.slice(0, 2));
    await writer.close();
    const bytes = await readFile(writer.path);
    const newer = recordOf(3, { v: 3, op: "login", server: "fs", deep: { any: [1] } });
    await writeFile(writer.path, Buffer.concat([bytes, newer]));
    expect(await replayLedgerLog(writer.path)).toMatchObject({ state: "whole", lastSeq: 2 });
    await using again = await openLedgerLog(dir.path, { segment: writer.segment });
    await again.append(log.slice(2));
    expect((await readFile(writer.path)).includes(newer)).toBe(true);
    expect(asData((await replayLedgerLog(writer.path)).ledger?.log ?? [])).toEqual(asData(log));

    const damaged = [
      { op: "login", server: "fs", at: AT },
      { v: 2, op: "login", server: "fs", at: AT },
      { v: "3", op: "login" },
      { v: 2, op: "quarantine", server: "fs", at: AT },
      { v: 2, op: "hold", server: "fs", tool: 7, at: AT },
      { op: "enroll", server: "fs", at: AT, bodies: ["x"] },
      { op: "enroll", server: "fs", at: AT, bodies: [] },
      { op: "retire", server: "fs", at: AT, keys: ["bk_x"] },
      { v: 2, op: "body", key: bridgeUlidKey(), tool: {} },
    ];
    for (const body of damaged) {
      await writeFile(writer.path, Buffer.concat([bytes, recordOf(3, body)]));
      expect(await replayLedgerLog(writer.path), JSON.stringify(body)).toMatchObject({
        state: "corrupt",
        damage: { kind: "content", offset: bytes.length },
      });
    }
  },
);

verifies(
  "ledger:log-cut",
  "a large description or definition is stored cut, with the hash of the whole",
  async () => {
    await using dir = await tempDir();
    const properties = Object.fromEntries(
      Array.from({ length: 60_000 }, (_, n) => [`member-${n}`, { type: "string" }]),
    );
    const listings: [string, object][] = [
      ["small", {}],
      ["text", { description: "d".repeat(5_000_000) }],
      ["schema", { inputSchema: { type: "object", properties } }],
      ["after", {}],
    ];
    const { log } = ledgerOf(listings);
    await using writer = await openLedgerLog(dir.path);
    expect(await writer.append(log)).toEqual({ refused: [] });
    expect((await stat(writer.path)).size).toBeLessThan(300_000);
    const replay = await replayLedgerLog(writer.path);
    const tools = replay.ledger?.liveCapabilities() ?? [];
    expect(tools.map(({ isCut }) => isCut)).toEqual([false, true, true, false]);
    expect(tools.map(({ name }) => name)).toEqual(listings.map(([tool]) => `fs__${tool}`));
    expect(tools.map(({ fingerprint }) => fingerprint)).toEqual(
      listings.map(([tool, listing]) => bridgeFingerprint(sampleDescriptor("fs", tool, listing))),
    );
    expect([...(replay.ledger?.snapshot.live.keys() ?? [])]).toEqual(log.map(({ key }) => key));
  },
);

verifies(
  "ledger:log-cut",
  "an entry that cannot be stored is refused by itself, and the others are stored",
  async () => {
    await using dir = await tempDir();
    const key = bridgeUlidKey();
    const huge = "s".repeat(5_000_000);
    let ledger = ledgerOf([["one", {}]]);
    ledger = ledger.enroll({ capability: sampleCapability("fs", "big", { n: 1n }), server: "fs", key }, AT);
    ledger = ledger.enroll({ capability: sampleCapability("fs", "two"), server: "fs" }, AT);
    ledger = ledger.retire(key, huge, AT);
    const writer = await openLedgerLog(dir.path);
    const { refused } = await writer.append(ledger.log);
    expect(refused.map(({ seq, error }) => [seq, error.kind])).toEqual([
      [2, "bad_entry"],
      [4, "bad_entry"],
    ]);
    expect(refused[0]?.error.message).toContain('entry 2 of server "fs"');
    expect(writer.nextSeq).toBe(5);
    const later = ledger.enroll({ capability: sampleCapability("fs", "three"), server: "fs" }, AT);
    await writer.append(later.log.slice(4));
    await writer.close();
    const notes: LedgerNote[] = [];
    const replay = await replayLedgerLog(writer.path, { onNote: (note) => notes.push(note) });
    expect(replay).toMatchObject({ state: "whole", lastSeq: 5 });
    expect(replay.ledger?.log.map(({ seq }) => seq)).toEqual([1, 3, 5]);
    expect(notes.map((note) => note.op === "refused" && note.seq)).toEqual([2, 4]);
    expect(JSON.stringify(notes).length).toBeLessThan(2_000);
  },
);

verifies(
  "ledger:log-bodies",
  "a second run stores nothing again: a thousand known tools take less than 100 KB",
  async () => {
    await using dir = await tempDir();
    const tools = Array.from({ length: 1000 }, (_, n): [string, object] => [
      `tool-${n}`,
      { description: `does ${n} `.repeat(50) },
    ]);
    const first = await openLedgerLog(dir.path);
    await first.append(ledgerOf(tools).log);
    await first.close();
    const { log } = ledgerOf(tools);
    const second = await openLedgerLog(dir.path);
    await second.append(log);
    expect((await stat(second.path)).size).toBeLessThan(100_000);
    await second.append(BridgeLedger.fromLog(log).withdrawServer("fs", AT).log.slice(1000));
    await second.close();
    const replay = await replayLedgerLog(second.path);
    expect(replay).toMatchObject({ state: "whole", lastSeq: 2000 });
    expect(asData(replay.ledger?.log.slice(0, 1000) ?? [])).toEqual(asData(log));
    expect(replay.ledger?.snapshot.live.size).toBe(0);

    await writeFile(first.path, "");
    const alone = await replayLedgerLog(second.path);
    expect(alone.ledger?.log[0]?.capability).toMatchObject({ isCut: true });
    expect(alone.ledger?.snapshot.highWater).toBe(2000);
  },
);

verifies("ledger:log-bodies", "a known body under another key keeps both keys", async () => {
  await using dir = await tempDir();
  const capability = sampleCapability("fs", "read");
  const key = bridgeUlidKey();
  const { log } = BridgeLedger.empty()
    .enroll({ capability, server: "fs" }, AT)
    .enroll({ capability, server: "fs", key }, AT)
    .enroll({ capability, server: "fs" }, AT);
  await using writer = await openLedgerLog(dir.path);
  await writer.append(log);
  expect(asData((await replayLedgerLog(writer.path)).ledger?.log ?? [])).toEqual(asData(log));
});
