import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { COMMANDS, runCommand } from "../../../src/commands/index.ts";
import { type CallRecord, openAuditTrail } from "../../../src/gateway/operations/audit/index.ts";
import { parseArguments } from "../../../src/launch/internal.ts";
import { openStateFolder } from "../../../src/state/index.ts";
import { eventually } from "../../bin/run-indus.ts";

const record = (id: number, more: Partial<CallRecord>): CallRecord => ({
  at: new Date(Date.now() - id * 3_600_000).toISOString(),
  id: `req_${id}`,
  session: "session_1",
  method: "tools/call",
  tool: "notes__add",
  server: "notes",
  ms: 12.3,
  outcome: "ok",
  argumentBytes: 10,
  resultBytes: 20_500,
  pid: 1,
  ...more,
});

verifies("audit:command", "lines, JSON, filters and following", async () => {
  await using dir = await tempDir();
  const env = { XDG_STATE_HOME: dir.at("state"), HOME: dir.at("home") };
  const indus = async (words: string, stop = new AbortController(), sent: string[] = []) => {
    let err = "";
    const terminal = {
      out: (text: string | Uint8Array) => void sent.push(String(text)),
      err: (text: string) => void (err += text),
    };
    const line = parseArguments(words.split(" "), COMMANDS);
    const code = await runCommand(line, { terminal, signal: stop.signal, env, cwd: dir.path });
    return { code, out: sent.join(""), err };
  };
  expect(await indus("audit")).toEqual({
    code: 0,
    out: "",
    err: "indus: no gateway of this folder has served a call yet; indus serve starts one\n",
  });
  const { path } = await openStateFolder(dir.path, env);
  const trail = openAuditTrail(path, { report: () => {} });
  trail.record(record(30, { principal: "bob", client: "cursor/1\u001b[31m" }));
  trail.record(record(2, { principal: "alice", outcome: "failed" }));
  trail.record(record(1, { tool: "notes__list" }));
  const { tool: _tool, ...read } = record(0.5, { method: "resources/read", resource: "note:(31)" });
  trail.record({ ...read, id: "req_read" });
  await trail[Symbol.asyncDispose]();
  const shown = await indus("audit");
  const lines = shown.out.trimEnd().split("\n");
  expect(lines[0]).toMatch(
    /^\d{4}-\d\d-\d\d [\d:.]+  bob  \(cursor\/1\\x1b\[31m\)  notes__add  ok  12 ms  10 bytes in, 20\.5 kB out  req_30$/,
  );
  expect(lines).toHaveLength(4);
  expect(lines[3]).toContain("-  resources/read notes note:(31)  ok  12 ms");
  const idsOf = async (words: string): Promise<string[]> =>
    (await indus(`${words} --json`)).out
      .trimEnd()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => (JSON.parse(line) as CallRecord).id);
  expect(await idsOf("audit")).toEqual(["req_30", "req_2", "req_1", "req_read"]);
  expect(await idsOf("audit --since 3h")).toEqual(["req_2", "req_1", "req_read"]);
  expect(await idsOf("audit --since 2020-01-01 --lines 1")).toEqual(["req_read"]);
  expect(await idsOf("audit --method resources/read,prompts/get")).toEqual(["req_read"]);
  expect(await idsOf("audit --outcome failed,timeout")).toEqual(["req_2"]);
  expect(await idsOf("audit --principal - --server notes --tool notes__l*")).toEqual(["req_1"]);
  expect(await indus("audit --server nobody")).toEqual({
    code: 0,
    out: "",
    err: "indus: no recorded call matches\n",
  });
  const stop = new AbortController();
  const sent: string[] = [];
  const following = indus("audit --follow --principal carol", stop, sent);
  await eventually(() => {
    trail.record(record(0, { principal: "carol", id: "req_new" }));
    void trail[Symbol.asyncDispose]();
    return sent.length > 0 || undefined;
  });
  stop.abort();
  expect(await following).toMatchObject({ code: 0, out: expect.stringContaining("carol  notes__add  ok") });
  for (const [words, problem] of [
    ["audit --since soon", "--since takes a time ago such as 90s"],
    ["audit --since 5", "--since takes a time ago"],
    ["audit --outcome fine", '--outcome does not know "fine"'],
    ["audit --method ping", '--method does not know "ping"'],
    ["audit x", 'audit takes no argument "x"'],
  ] as const)
    expect(parseArguments(words.split(" "), COMMANDS)).toMatchObject({
      kind: "usage",
      problem: expect.stringContaining(problem),
    });
});
