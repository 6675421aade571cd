import { tempDir, verifies } from "@indus/testkit";
import type { ServerConfig } from "indusagi/interop";
import { expect } from "vitest";
import { workspaceAudit, workspaceTokens } from "../../../src/boot/internal.ts";
import { eventually, scriptedRow } from "../../bin/run-indus.ts";
import { connectTo, serveIn } from "./serve-in.ts";

const SECRET = "row-Zx9/horse+battery";

verifies(
  "audit:record",
  "calls of every client of a gateway are recorded, without content and secrets",
  async () => {
    await using dir = await tempDir();
    const row = scriptedRow() as { command: string; args: string[] };
    const server: ServerConfig = { kind: "stdio", id: "s", ...row, env: { LEAK: SECRET } };
    await using served = await serveIn(dir, { listing: "search" }, [server]);
    const { token, record } = await (await workspaceTokens(served.run)).add("alice", {
      tools: ["s__echo", "s__env"],
    });
    const [alice, anonymous] = [await connectTo(served.url, { token }), await connectTo(served.url)];
    await alice.listTools();
    await alice.invoke("s__echo", { text: "the canary text" });
    await alice.invoke("tool_call", { name: "s__env", arguments: {} });
    await alice.invoke("s__fail", {}).catch(() => {});
    await anonymous.invoke("s__fail", {});
    const stop = new AbortController();
    const silent = anonymous.invoke("s__silent", {}, { signal: stop.signal }).catch(() => {});
    setTimeout(() => stop.abort(), 200);
    await silent;
    await Promise.all([alice.close(), anonymous.close()]);
    const trail = await workspaceAudit(served.run);
    const records = await eventually(() => (trail.read().length >= 5 ? trail.read() : undefined));
    expect(
      records.map(({ principal, token: id, server: owner, tool, outcome }) => [
        principal,
        id,
        owner,
        tool,
        outcome,
      ]),
    ).toEqual([
      ["alice", record.id, "s", "s__echo", "ok"],
      ["alice", record.id, "s", "s__env", "ok"],
      ["alice", record.id, undefined, "s__fail", "unknown"],
      [undefined, undefined, "s", "s__fail", "error"],
      [undefined, undefined, "s", "s__silent", "cancelled"],
    ]);
    expect(records[0]?.argumentBytes).toBe(JSON.stringify({ text: "the canary text" }).length);
    expect(records[1]?.resultBytes).toBeGreaterThan(SECRET.length);
    const text = JSON.stringify(records);
    for (const kept of ["canary", SECRET, token, "LEAK"]) expect(text).not.toContain(kept);
    expect(served.reports.join("")).not.toContain(SECRET);
  },
  { timeoutMs: 60_000 },
);
