import { copyFileSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { natsServer, startNats, tempDir, verifiesTogether } from "@indus/testkit";
import { expect } from "vitest";
import { connectCluster } from "../../src/cluster/connect-cluster.ts";
import { setUpCluster } from "../../src/cluster/set-up-cluster.ts";
import { openSharedAudit } from "../../src/cluster/shared-audit.ts";
import { openSharedTrail } from "../../src/cluster/shared-trail.ts";
import type { CallRecord } from "../../src/gateway/operations/audit/index.ts";
import { eventually } from "../bin/run-indus.ts";

const options = { when: natsServer !== undefined, timeoutMs: 60_000 } as const;

function call(id: string, more: Partial<CallRecord> = {}): CallRecord {
  return {
    at: new Date(Date.UTC(2026, 0, 1) + Number(id)).toISOString(),
    id,
    session: "s",
    method: "tools/call",
    tool: "notes__add",
    server: "notes",
    ms: 1,
    outcome: "ok",
    argumentBytes: 2,
    resultBytes: 3,
    pid: 1,
    ...more,
  };
}

verifiesTogether(
  "cluster:audit-spill",
  "calls while NATS is away are kept in a file, delivered afterwards, and read once and in order",
  async () => {
    await using dir = await tempDir();
    await using nats = await startNats(dir.at("nats"));
    await using connection = await connectCluster({ urls: [nats.url] }, "test");
    await setUpCluster(connection, {});
    const said: string[] = [];
    const folder = dir.at("audit");
    const ids = (records: readonly CallRecord[]): readonly string[] => records.map(({ id }) => id);
    const audit = openSharedAudit(connection);
    const next = await audit.follow({ outcomes: ["failed"] });
    {
      await using trail = openSharedTrail(connection, { folder, report: (line) => said.push(line) });
      trail.record(call("1"));
      trail.record(call("2", { outcome: "failed", principal: "alice" }));
      trail.flush();
      expect(
        await eventually(async () => (ids(await audit.read({}, 9)).length === 2 ? true : undefined)),
      ).toBe(true);
      expect(readdirSync(folder)).toEqual([]);
      await nats.end("SIGKILL");
      const beganMs = performance.now();
      for (let id = 3; id <= 900; id++) trail.record(call(`${id}`));
      trail.flush();
      // Nothing waited for NATS, or for the disk.
      expect(performance.now() - beganMs).toBeLessThan(1_500);
      await eventually(() => (said.length > 0 ? true : undefined));
      expect(said[0]).toContain("the audit trail waits for NATS");
      nats.start();
      await eventually(() => (said.length > 1 ? true : undefined), 30_000);
      expect(said.slice(1)).toEqual(["the audit trail reaches NATS again"]);
      expect(readdirSync(folder)).toEqual([]);
    }
    const all = Array.from({ length: 900 }, (_, at) => `${at + 1}`);
    expect(ids(await audit.read({}, 10_000))).toEqual(all);
    expect(ids(await audit.read({}, 3))).toEqual(["898", "899", "900"]);
    expect(ids(await audit.read({ principal: "alice" }, 9))).toEqual(["2"]);
    expect(ids(await audit.read({ sinceMs: Date.UTC(2026, 0, 1) + 890 }, 999))).toHaveLength(11);
    expect(ids(next())).toEqual(["2"]);
  },
  options,
);

verifiesTogether(
  "cluster:audit-spill",
  "what a gateway leaves behind is delivered by the next one, also if NATS had it already, and counts once; a full file is reported",
  async () => {
    await using dir = await tempDir();
    await using nats = await startNats(dir.at("nats"));
    await using connection = await connectCluster({ urls: [nats.url] }, "test");
    await setUpCluster(connection, {});
    const folder = dir.at("audit");
    const said: string[] = [];
    const report = (line: string): void => void said.push(line);
    {
      await using trail = openSharedTrail(connection, { folder, report, maxBytes: 2_000 });
      await nats.end("SIGKILL");
      for (const id of ["1", "2"]) {
        trail.record(call(id));
        trail.flush();
      }
      for (let id = 3; id < 100; id++) trail.record(call(`${id}`));
      trail.flush();
    }
    const [file = ""] = readdirSync(folder);
    expect(readFileSync(`${folder}/${file}`).length).toBeLessThan(2_000);
    expect(said.join("\n")).toContain("is full");
    // As if that gateway had been another process, which has ended.
    const of = (pid: number): string => `${folder}/${file.replace(/^\d+/, String(pid))}`;
    copyFileSync(`${folder}/${file}`, of(4_000_001));
    renameSync(`${folder}/${file}`, of(4_000_002));
    nats.start();
    await using _trail = openSharedTrail(connection, { folder, report });
    await eventually(() => (readdirSync(folder).length === 0 ? true : undefined), 30_000);
    const { messages } = (await (await connection.jetStream()).manager.streams.info("indus_audit")).state;
    expect(messages).toBe(2);
    expect((await openSharedAudit(connection).read({}, 99)).map(({ id }) => id)).toEqual(["1", "2"]);
  },
  options,
);
