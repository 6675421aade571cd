import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import {
  inSession,
  legacyCall,
  openSession,
  send,
  textOf,
} from "../../../indusagi/test/interop/host/http/raw-http.ts";
import { eventually, runIndus, scriptedRow, startIndus, writeConfig } from "./run-indus.ts";

const SECRET = "row-Zx9/horse+battery";

verifies(
  "operations:drain",
  "SIGTERM lets a running call end; the log is JSON to its last line, without values and secrets",
  async () => {
    await using dir = await tempDir();
    const row = { ...scriptedRow(), env: { LEAK: SECRET } };
    const file = await writeConfig(dir.at("servers.json"), { s: row });
    const env = { XDG_STATE_HOME: dir.at("state") };
    const words = ["--mcp", file, "--log-format", "json", "--drain", "60"];
    using indus = startIndus(["serve", "--port", "0", ...words], { cwd: dir.path, env });
    const url = await eventually(() => /^http\S+(?=\n)/.exec(indus.out())?.[0]);
    const session = await openSession(url);
    const call = (id: number, tool: string, args: object): ReturnType<typeof send> =>
      send(url, { headers: inSession(session), body: legacyCall(id, tool, args) });
    expect(textOf(await call(1, "s__echo", { text: "the canary" }))).toBe("the canary");
    const metrics = await (await fetch(new URL("/metrics", url))).text();
    expect(metrics).toContain('indus_calls_total{server="s",outcome="ok"} 1');
    expect(metrics).toContain("indus_sessions 1");
    const second = await runIndus(["serve", "--port", new URL(url).port, ...words], { cwd: dir.path, env });
    expect(second.code).toBe(1);
    const failures = second.err.split("\n").filter((line) => line.includes('"level":"error"'));
    expect(failures.map((line) => JSON.parse(line))).toMatchObject([
      { event: "failed", message: expect.stringContaining(new URL(url).port) },
    ]);
    const running = call(2, "s__slow", { ms: 1_000 });
    await eventually(async () => (Number(textOf(await call(3, "s__calls", {}))) >= 3 ? true : undefined));
    indus.child.kill("SIGTERM");
    await eventually(() => /received SIGTERM/.exec(indus.err()) ?? undefined);
    expect(textOf(await running)).toBe("done");
    await expect(fetch(url)).rejects.toThrow();
    expect(await indus.ended).toBe(143);
    const entries = indus
      .err()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly event: string; readonly [member: string]: unknown });
    expect(entries.filter(({ event }) => event === "call")[0]).toMatchObject({
      tool: "s__echo",
      server: "s",
      outcome: "ok",
      arguments: { text: "string(10)" },
    });
    expect(entries).toContainEqual(expect.objectContaining({ event: "listening", url }));
    expect(entries).toContainEqual(expect.objectContaining({ event: "server", server: "s", phase: "ready" }));
    expect(entries).toContainEqual(expect.objectContaining({ message: "ending: it received SIGTERM" }));
    for (const kept of ["canary", SECRET]) expect(indus.err()).not.toContain(kept);
    const audited = await runIndus(["audit", "--json"], { cwd: dir.path, env });
    expect(audited.out).toContain('"tool":"s__slow"');
    const ids = new Set(entries.map(({ id }) => id));
    for (const line of audited.out.trimEnd().split("\n"))
      expect(ids).toContain((JSON.parse(line) as { readonly id: string }).id);
    expect(audited.out).not.toMatch(/canary|horse/);
  },
  { timeoutMs: 60_000 },
);
