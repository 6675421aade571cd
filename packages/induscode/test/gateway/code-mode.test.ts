import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { textOf } from "../../../indusagi/test/interop/host/http/raw-http.ts";
import { eventually, runIndus } from "../bin/run-indus.ts";
import { callModern, roughRow, serveRows } from "./serving-gateway.ts";

verifies(
  "code:gateway",
  "a program's calls pass the policy and the audit, and its result is previewed",
  async () => {
    await using dir = await tempDir();
    const env = { XDG_STATE_HOME: dir.at("state") };
    await using gateway = await serveRows(dir, {
      name: "servers",
      rows: { rough: roughRow() },
      env,
      args: ["--tools", "code", "--deny", "rough__never"],
    });
    const run = async (code: string): Promise<string> =>
      textOf(await callModern(gateway.url, "run_code", { args: { code } })) ?? "";
    // The server may still be starting.
    const found = await eventually(async () => {
      const text =
        textOf(await callModern(gateway.url, "tool_search", { args: { query: "echo text" } })) ?? "";
      return text.includes("declare namespace") ? text : undefined;
    }, 60_000);
    expect(found).toContain("declare namespace rough {");
    expect(await run('return await rough.echo({ text: "hello" })')).toContain("hello");
    expect(await run("return await rough.never({})")).toContain("refused by the deny rule");
    const long = await run("return 'x'.repeat(100_000)");
    expect(long.length).toBeLessThan(30_000);
    expect(long).toContain("read_result");
    const records = await eventually(async () => {
      const { out } = await runIndus(["audit", "--json"], { cwd: dir.path, env });
      const lines = out.trim().split("\n").filter(Boolean);
      return lines.length >= 2 ? lines.map((line) => JSON.parse(line) as unknown) : undefined;
    }, 60_000);
    expect(records).toContainEqual(
      expect.objectContaining({
        tool: "rough__echo",
        outcome: "ok",
        program: expect.stringMatching(/^[0-9a-f]{64}$/),
      }),
    );
    expect(records).toContainEqual(expect.objectContaining({ tool: "rough__never", outcome: "refused" }));
  },
  { timeoutMs: 120_000 },
);
