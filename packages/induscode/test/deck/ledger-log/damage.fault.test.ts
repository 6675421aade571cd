import { readFile, writeFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { atSize, recordFigure, tempDir, verifies } from "@indus/testkit";
import fc from "fast-check";
import {
  type BridgeLedger,
  bridgeUlidKey,
  type DamageKind,
  type LedgerItem,
  openLedgerLog,
  replayLedgerLog,
} from "induscode/deck";
import { expect } from "vitest";
import { AT, sampleCapability, sampleLedger } from "../ledger/sample-tools.ts";
import { memoryLogDisk } from "./memory-log-disk.ts";

interface Written {
  readonly folder: string;
  readonly segment: string;
  readonly path: string;
  /** The records, starting with the title. */
  readonly lines: readonly Buffer[];
}

const DECISION = { op: "quarantine", server: "fs", tool: "t1", at: AT, before: "a", after: "b" } as const;

/** The types of records that are not entries with a body: a reference to a body, a decision, and a refused entry. */
function otherRecords(before: BridgeLedger): readonly LedgerItem[] {
  const again = before.enroll({ capability: sampleCapability("fs", "t1"), server: "fs" }, AT);
  const circular: { [name: string]: unknown } = {};
  circular["self"] = circular;
  const capability = sampleCapability("fs", "bad", { inputSchema: circular });
  const refused = again.enroll({ capability, server: "fs", key: bridgeUlidKey() }, AT);
  return [DECISION, ...refused.log.slice(before.log.length)];
}

async function writtenLog(folder: string, count: number, hasOthers = false): Promise<Written> {
  await using log = await openLedgerLog(folder);
  const ledger = sampleLedger(count);
  await log.append(ledger.log);
  if (hasOthers) expect((await log.append(otherRecords(ledger))).refused).toHaveLength(1);
  const text = await readFile(log.path, "latin1");
  const lines = text
    .split("\n")
    .slice(0, -1)
    .map((line) => Buffer.from(`${line}\n`, "latin1"));
  return { folder, segment: log.segment, path: log.path, lines };
}

/** An intact record with any content. */
function recordOf(seq: number, body: string): Buffer {
  const counts = `${seq} ${body.length} `;
  return Buffer.from(
    `${counts}${crc32(counts + body)
      .toString(16)
      .padStart(8, "0")} ${body}\n`,
  );
}

/** Writes these records and returns what a reader and a writer find. */
async function verdictOn(
  { folder, segment, path }: Written,
  bytes: Buffer,
): Promise<{ kind?: string; offset?: number }> {
  await writeFile(path, bytes);
  const replay = await replayLedgerLog(path);
  if (replay.state !== "corrupt") return {};
  expect(replay.ledger).toBeUndefined();
  const refused = openLedgerLog(folder, { segment });
  await expect(refused).rejects.toMatchObject({ kind: "corrupt", path, damage: replay.damage });
  await expect(refused).rejects.toThrow(`at byte ${replay.damage.offset}`);
  expect((await readFile(path)).equals(bytes)).toBe(true);
  return replay.damage;
}

verifies(
  "faults:b22-bit-flip",
  "a flipped bit anywhere in a log is found in the right record",
  async () => {
    await using dir = await tempDir();
    const written = await writtenLog(dir.path, 2, true);
    expect(written.lines).toHaveLength(6);
    const bytes = Buffer.concat(written.lines);
    let flips = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const begins = at === 0 ? 0 : bytes.lastIndexOf(0x0a, at - 1) + 1;
      // Quick: one bit of each byte, at changing positions. Full: all eight.
      for (const bit of atSize({ quick: [at % 8], full: [0, 1, 2, 3, 4, 5, 6, 7] })) {
        const flipped = Buffer.from(bytes);
        flipped[at] = (bytes[at] ?? 0) ^ (1 << bit);
        const replay = await replayLedgerLog(written.path, { disk: memoryLogDisk(flipped) });
        const found = replay.state === "corrupt" ? replay.damage.offset : replay.state;
        if (found !== begins) expect.fail(`bit ${bit} of byte ${at}: ${found} instead of ${begins}`);
        flips += 1;
      }
    }
    recordFigure({
      what: "B22 one bit of a ledger flipped",
      size: `${flips} flips, one after the other`,
      found: "all found, at the record's own offset",
    });
  },
  { timeoutMs: 120_000 },
);

verifies("faults:b22-bit-flip", "a writer refuses a damaged log and does not change it", async () => {
  await using dir = await tempDir();
  const written = await writtenLog(dir.path, 3);
  const bytes = Buffer.concat(written.lines);
  const at = (written.lines[0]?.length ?? 0) + 60;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  expect(await verdictOn(written, bytes)).toMatchObject({
    kind: "checksum",
    offset: written.lines[0]?.length,
  });
});

verifies(
  "faults:b22-bit-flip",
  "random bytes at any place are damage or a torn tail, never an entry",
  async () => {
    await using dir = await tempDir();
    const written = await writtenLog(dir.path, 3);
    const bytes = Buffer.concat(written.lines);
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: bytes.length }),
        fc.nat({ max: 40 }),
        fc.uint8Array({ minLength: 1, maxLength: 40 }),
        async (at, gone, put) => {
          const changed = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + gone)]);
          fc.pre(!changed.equals(bytes));
          await writeFile(written.path, changed);
          const replay = await replayLedgerLog(written.path);
          expect(replay.state).not.toBe("whole");
          // The intact part is a prefix of what was written.
          expect(changed.subarray(0, replay.goodBytes).equals(bytes.subarray(0, replay.goodBytes))).toBe(
            true,
          );
        },
      ),
      { numRuns: atSize({ quick: 100, full: 20_000 }) },
    );
  },
);

verifies(
  "faults:b22-sequence",
  "repeated, missing, swapped and foreign records each get the right kind",
  async () => {
    await using dir = await tempDir();
    const written = await writtenLog(dir.path, 4);
    const [title, one, two, three, four] = written.lines as [Buffer, Buffer, Buffer, Buffer, Buffer];
    const other = recordOf(2, '{"op":"retire"}');
    const cases: [string, Buffer[], DamageKind, number][] = [
      ["doubled", [title, one, two, two, three, four], "duplicate", 3],
      ["doubled at the end", [title, one, two, three, four, four], "duplicate", 5],
      ["numbered twice", [title, one, two, other, three], "repeat", 3],
      ["an earlier one again", [title, one, two, three, one], "repeat", 4],
      ["a missing one", [title, one, three, four], "gap", 2],
      ["two swapped", [title, two, one, three], "gap", 1],
      ["no title", [one, two], "gap", 0],
      ["two titles", [title, title, one], "duplicate", 1],
      ["not an entry", [title, one, other, three], "content", 2],
      ["not a title", [recordOf(0, '{"ledger":2,"segment":"x"}'), one], "content", 0],
      ["a line of text", [title, one, Buffer.from("hello\n"), two], "malformed", 2],
      ["text at the end", [title, one, Buffer.from("hello")], "malformed", 2],
      ["an empty line", [title, one, Buffer.from("\n"), two], "malformed", 2],
      ["an impossible length", [title, Buffer.from("1 9999999 00000000 {}\n")], "malformed", 1],
    ];
    for (const [what, lines, kind, index] of cases) {
      const offset = Buffer.concat(lines.slice(0, index)).length;
      expect(await verdictOn(written, Buffer.concat(lines)), what).toMatchObject({ kind, offset });
    }
  },
);
