import { appendFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import {
  type CallRecord,
  openAuditRecords,
  openAuditTrail,
} from "../../../../src/gateway/operations/audit/index.ts";

const silent = { report: (): void => {} };
const record = (id: number, more: Partial<CallRecord> = {}): CallRecord => ({
  at: new Date(1_700_000_000_000 + id * 1_000).toISOString(),
  id: `req_${id}`,
  session: "session_1",
  method: "tools/call",
  tool: "notes__add",
  server: "notes",
  ms: 1.5,
  outcome: "ok",
  argumentBytes: 10,
  resultBytes: 20,
  pid: 1,
  ...more,
});
const ids = (records: readonly CallRecord[]): string[] => records.map(({ id }) => id.slice(4));

verifies(
  "audit:bounded",
  "two private files of limited size keep the newest calls of several writers",
  async () => {
    await using dir = await tempDir();
    for (let round = 0; round < 20; round += 1) {
      await using first = openAuditTrail(dir.path, { ...silent, maxBytes: 4_000 });
      await using second = openAuditTrail(dir.path, { ...silent, maxBytes: 4_000 });
      for (let at = 0; at < 5; at += 1) (at % 2 === 0 ? first : second).record(record(round * 5 + at));
    }
    const folder = dir.at("audit");
    expect(readdirSync(folder).sort()).toEqual(["calls.log", "calls.log.1"]);
    for (const file of readdirSync(folder)) {
      const { size, mode } = statSync(dir.at("audit", file));
      expect(size).toBeLessThanOrEqual(4_000);
      if (process.platform !== "win32") expect(mode & 0o777).toBe(0o600);
    }
    // The writers of a round write in turn, so that the oldest round may be there in part.
    const kept = new Set(ids(openAuditRecords(dir.path).read()).map(Number));
    expect(kept.size).toBeGreaterThan(10);
    const whole = Array.from({ length: kept.size - 5 }, (_, at) => 99 - at);
    expect(whole.filter((id) => !kept.has(id))).toEqual([]);
  },
);

verifies("audit:bounded", "a trail that cannot be written is one line until it can be again", async () => {
  await using dir = await tempDir();
  const reports: string[] = [];
  const report = (message: string): void => void reports.push(message);
  const write = async (trail: ReturnType<typeof openAuditTrail>, id: number): Promise<void> => {
    trail.record(record(id));
    await trail[Symbol.asyncDispose]();
  };
  const trail = openAuditTrail(dir.path, { report });
  mkdirSync(dir.at("audit", "calls.log"));
  for (const id of [1, 2]) await write(trail, id);
  expect(reports).toEqual([expect.stringMatching(/^calls are not recorded: the audit trail cannot/)]);
  rmSync(dir.at("audit", "calls.log"), { recursive: true });
  await write(trail, 3);
  expect(ids(openAuditRecords(dir.path).read())).toEqual(["3"]);
  expect(reports).toHaveLength(1);
  writeFileSync(dir.at("file"), "");
  expect(() => openAuditTrail(dir.at("file"), { report })).toThrow("ENOTDIR");
});

verifies(
  "audit:command",
  "filters choose records, damaged lines are left out, and a reader can follow",
  async () => {
    await using dir = await tempDir();
    const trail = openAuditTrail(dir.path, silent);
    const given = [
      record(1, { principal: "alice", token: "aa" }),
      record(2, { principal: "bob", outcome: "failed" }),
      record(3, { server: "git", tool: "git__log", outcome: "timeout" }),
    ];
    for (const each of given) trail.record(each);
    trail.record(JSON.parse(JSON.stringify({ ...record(4), server: undefined, tool: "read" })) as CallRecord);
    await trail[Symbol.asyncDispose]();
    appendFileSync(dir.at("audit", "calls.log"), '{"torn\n{"at":1}\n[]\nnull\n');
    const { tool: _tool, ...read } = record(7, { method: "resources/read", resource: "note:(31)" });
    const { method: _method, ...old } = record(8, { tool: "git__old", server: "git" });
    for (const each of [read, old, { ...read, resource: undefined }, { ...read, method: "ping" }])
      appendFileSync(dir.at("audit", "calls.log"), `${JSON.stringify(each)}\n`);
    const records = openAuditRecords(dir.path);
    const next = records.follow({ principal: "alice" });
    const found = (filter: Parameters<typeof records.read>[0]): string[] => ids(records.read(filter));
    expect(found({})).toEqual(["1", "2", "3", "4", "7", "8"]);
    expect(found({ server: "notes" })).toEqual(["1", "2", "7"]);
    expect(found({ tool: "git__log" })).toEqual(["3"]);
    expect(found({ tool: "notes__*" })).toEqual(["1", "2"]);
    expect(found({ tool: "*" })).toHaveLength(5);
    expect(found({ methods: ["resources/read"] })).toEqual(["7"]);
    // A line of an earlier version is about a tool.
    expect(found({ methods: ["tools/call"], tool: "git__o*" })).toEqual(["8"]);
    expect(found({ principal: "alice" })).toEqual(["1"]);
    expect(found({ principal: "-" })).toEqual(["3", "4", "7", "8"]);
    expect(found({ outcomes: ["failed", "timeout"] })).toEqual(["2", "3"]);
    expect(found({ sinceMs: 1_700_000_003_000 })).toEqual(["3", "4", "7", "8"]);
    expect(found({ server: "notes", outcomes: ["ok"], principal: "alice" })).toEqual(["1"]);
    expect(next()).toEqual([]);
    for (const id of [5, 6]) trail.record(record(id, { principal: id === 5 ? "alice" : "bob" }));
    await trail[Symbol.asyncDispose]();
    expect(ids(next())).toEqual(["5"]);
    expect(next()).toEqual([]);
    expect(openAuditRecords(dir.at("nowhere")).read()).toEqual([]);
  },
);
