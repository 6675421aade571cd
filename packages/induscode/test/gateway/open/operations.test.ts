import { writeFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import type { ServerConfig } from "indusagi/interop";
import { expect } from "vitest";
import { openRun } from "../../../src/boot/internal.ts";
import { openGateway } from "../../../src/gateway/open/internal.ts";
import { eventually, scriptedRow } from "../../bin/run-indus.ts";
import { gatedRow } from "../../bin/scripted-client.ts";
import { connectTo, serveIn } from "./serve-in.ts";

verifies(
  "operations:ready",
  "a gateway lives at once, is ready when its required servers are, and counts its calls",
  async () => {
    await using dir = await tempDir();
    const row = scriptedRow() as { command: string; args: string[] };
    const gate = dir.at("gate");
    const slow: ServerConfig = {
      kind: "stdio",
      id: "slow-secret-name",
      required: true,
      ...(gatedRow("--gate", gate, "--count", "1") as { command: string; args: string[] }),
    };
    const servers: ServerConfig[] = [slow, { kind: "stdio", id: "s", ...row }];
    await using served = await serveIn(dir, { waitMs: 60_000 }, servers);
    const page = async (path: string): Promise<readonly [number, string]> => {
      const answer = await fetch(new URL(path, served.url));
      return [answer.status, await answer.text()];
    };
    expect(await page("/healthz")).toEqual([200, '{"status":"ok"}\n']);
    expect(await page("/readyz")).toEqual([503, '{"status":"a required server is not ready"}\n']);
    writeFileSync(gate, "");
    await eventually(async () => ((await page("/readyz"))[0] === 200 ? true : undefined));
    const client = await connectTo(served.url);
    await client.listTools();
    await client.invoke("s__echo", { text: "hi" });
    await client.invoke("s__fail", {});
    await client.close();
    const [status, text] = await page("/metrics");
    expect(status).toBe(200);
    expect(text).toContain('indus_calls_total{server="s",outcome="ok"} 1');
    expect(text).toContain('indus_calls_total{server="s",outcome="error"} 1');
    expect(text).toContain('indus_servers{state="ready"} 2');
  },
  { timeoutMs: 60_000 },
);

verifies(
  "operations:log",
  "the structured log has each call with the shape of its arguments",
  async () => {
    await using dir = await tempDir();
    const stop = new AbortController();
    const entries: object[] = [];
    const terminal = {
      out: () => {},
      err: () => {},
      isKept: true,
      log: (entry: object) => void entries.push(entry),
    };
    const env = { XDG_STATE_HOME: dir.at("state"), HOME: dir.at("home") };
    await using run = await openRun({ terminal, signal: stop.signal, cwd: dir.path, env });
    const transport = { kind: "http", port: 0 } as const;
    // A token that was made for the run would be in the log.
    await expect(openGateway(run, { servers: [], transport, profile: "full" })).rejects.toThrow(
      "writes a log, which must not show a token, and needs a token",
    );
    const gateway = await openGateway(run, { servers: [], transport });
    let serving: Promise<void> | undefined;
    const url = await new Promise<string>((resolve) => {
      serving = gateway.serve(resolve);
    });
    const client = await connectTo(url);
    await client.invoke("grep", { pattern: "the canary", path: "." });
    await client.close();
    stop.abort();
    await serving;
    expect(entries).toEqual([
      expect.objectContaining({
        level: "info",
        event: "call",
        id: expect.stringMatching(/^req_/),
        tool: "grep",
        outcome: "ok",
        arguments: { pattern: "string(10)", path: "string(1)" },
      }),
    ]);
    expect(JSON.stringify(entries)).not.toContain("canary");
  },
  { timeoutMs: 60_000 },
);
