import { atSize, natsServer, recordFigure, startNats, tempDir, verifies } from "@indus/testkit";
import { ulidTime } from "indusagi/core";
import { BridgeLedger, listLedgerSegments, readLedgerHistory, readLedgerLog } from "induscode/deck";
import { expect } from "vitest";
import { connectCluster } from "../../src/cluster/connect-cluster.ts";
import { copyLedger } from "../../src/cluster/ledger-segments.ts";
import { openServerLedger, recordDecisions } from "../../src/cluster/server-ledger.ts";
import { setUpCluster } from "../../src/cluster/set-up-cluster.ts";
import { sampleCapability, sampleLedger } from "../deck/ledger/sample-tools.ts";
import { killLedgerWriters } from "./ledger-kills.ts";

const options = { when: natsServer !== undefined, timeoutMs: 60_000 } as const;
const report = (): void => {};

verifies(
  "cluster:ledger",
  "of two workers that write one ledger only the one that began last goes on, and nothing is lost",
  async () => {
    await using dir = await tempDir();
    await using nats = await startNats(dir.at("nats"));
    await using connection = await connectCluster({ urls: [nats.url] }, "test");
    await setUpCluster(connection, {});
    const first = await openServerLedger(connection, "fs", { report });
    await first.append(sampleLedger(6).log);
    const second = await openServerLedger(connection, "fs", { report });
    const late = first.append(sampleLedger(7).log.slice(-1));
    await expect(late).rejects.toMatchObject({ kind: "locked" });
    await expect(late).rejects.toThrow('server "fs" is written by another worker now');
    // A tool that is larger than a message may be.
    const large = sampleCapability("fs", "large", {
      inputSchema: { type: "object", note: "x".repeat(900_000) },
    });
    const many = BridgeLedger.empty().enroll({ capability: large, server: "fs" }, "2026-07-28T09:30:00.000Z");
    await second.append(many.log);
    await second.append(sampleLedger(40, many).log.slice(1));
    await Promise.all([first.close(), second.close()]);
    const folder = await copyLedger(connection, dir.at("copy"));
    const segments = await listLedgerSegments(folder);
    expect(segments.map(({ id }) => id)).toEqual([first.segment, second.segment]);
    const counts = await Promise.all(
      segments.map(async ({ path }) => {
        const reading = await readLedgerLog(path, () => {});
        return [reading.state, reading.lastSeq];
      }),
    );
    expect(counts).toEqual([
      ["whole", 6],
      ["whole", 40],
    ]);
  },
  options,
);

verifies(
  "cluster:ledger-kills",
  "writers that want the same ledger and the server of NATS are killed in turns, and every acknowledged entry is there once and in order",
  async () => {
    await using dir = await tempDir();
    await using nats = await startNats(dir.at("nats"));
    {
      await using connection = await connectCluster({ urls: [nats.url] }, "test");
      await setUpCluster(connection, {});
    }
    const kills = atSize({ quick: 3, full: 100 });
    const found = await killLedgerWriters({
      urls: [nats.url],
      nodes: [{ name: "the server", ...nats }],
      writers: 2,
      kills,
      thenAllNodes: true,
    });
    expect(found).toMatchObject({ kills, lost: [], twice: [], outOfOrder: [] });
    expect(found.acknowledged).toBeGreaterThan(kills);
    recordFigure({
      what: "ledger of a cluster, one NATS server",
      size: `${kills} kills of rival writers and of the server, ${found.acknowledged} acknowledged entries`,
      found: "0 lost, 0 twice, 0 out of order",
    });
  },
  { ...options, timeoutMs: atSize({ quick: 90_000, full: 15 * 60_000 }) },
);

verifies(
  "cluster:ledger",
  "a decision that several gateways made is recorded once, and read like those of one machine",
  async () => {
    await using dir = await tempDir();
    await using nats = await startNats(dir.at("nats"));
    await using connection = await connectCluster({ urls: [nats.url] }, "test");
    await setUpCluster(connection, {});
    const decision = { op: "hold", server: "fs", tool: "read", before: "a", after: "b" } as const;
    await recordDecisions(connection, [{ ...decision, at: "2026-07-28T09:30:00.000Z" }]);
    await recordDecisions(connection, [{ ...decision, at: "2026-07-28T09:30:01.000Z" }]);
    const { events, damaged } = await readLedgerHistory(await copyLedger(connection, dir.at("copy")));
    expect(damaged).toEqual([]);
    expect(events).toMatchObject([
      { op: "hold", server: "fs", tool: "read", at: "2026-07-28T09:30:00.000Z" },
    ]);
  },
  options,
);

verifies(
  "cluster:ledger",
  "segments that ended long ago are deleted, and what others refer to is kept",
  async () => {
    await using dir = await tempDir();
    await using nats = await startNats(dir.at("nats"));
    await using connection = await connectCluster({ urls: [nats.url] }, "test");
    await setUpCluster(connection, {});
    const write = async (keepMs?: number): Promise<string> => {
      await using log = await openServerLedger(connection, "fs", { report, keepMs });
      await log.append(sampleLedger(3).log);
      return log.segment;
    };
    const ids = [await write(), await write(), await write()];
    // Everything that ended before the last began: all but that one, whose bodies the first had. Not what ended before now: ids are
    // ahead of the clock where another file of this process has moved a fake one.
    ids.push(await write(Date.now() - ulidTime(ids[2] ?? "") - 1));
    const folder = await copyLedger(connection, dir.at("copy"));
    expect((await listLedgerSegments(folder)).map(({ id }) => id)).toEqual(ids.slice(2));
    const { events } = await readLedgerHistory(folder);
    expect(events.map(({ tool }) => tool)).toEqual(["t1", "t2", "t3", "t1", "t2", "t3"]);
  },
  options,
);
