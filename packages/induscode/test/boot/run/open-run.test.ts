import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import { createServerEndpoint, type ServerConfig } from "indusagi/interop";
import { expect } from "vitest";
import { openNativeTools, openRun, type Run } from "../../../src/boot/internal.ts";
import { openGateway } from "../../../src/gateway/open/internal.ts";
import { openServers } from "../../../src/servers/internal.ts";
import { scriptedRow, startedPids, untilGone } from "../../bin/run-indus.ts";

/** A run in a folder of its own, without output. */
function runIn(dir: TempDir, signal: AbortSignal = new AbortController().signal): Promise<Run> {
  const terminal = { out: () => {}, err: () => {} };
  const env = { XDG_STATE_HOME: dir.at("state") };
  return openRun({ terminal, signal, cwd: dir.path, env });
}

function scripted(id: string, starts: string): ServerConfig {
  return { kind: "stdio", id, ...(scriptedRow("--starts", starts) as { command: string; args: string[] }) };
}

verifies("command:run", "the end of a run ends every server it opened", async () => {
  await using dir = await tempDir();
  const starts = dir.at("starts");
  let pids: readonly number[] = [];
  {
    await using run = await runIn(dir);
    const servers = await openServers(run, { servers: [scripted("a", starts), scripted("b", starts)] });
    await servers.settled;
    expect(servers.statuses().map(({ phase }) => phase)).toEqual(["ready", "ready"]);
    pids = await startedPids(starts, 2);
  }
  await untilGone(pids);
});

verifies("command:run", "the end of a run closes its listener", async () => {
  await using dir = await tempDir();
  const stop = new AbortController();
  let served = "";
  {
    await using run = await runIn(dir, stop.signal);
    const gateway = await openGateway(run, { servers: [], transport: { kind: "http", port: 0 } });
    let serving: Promise<void> | undefined;
    served = await new Promise<string>((resolve, reject) => {
      serving = gateway.serve(resolve);
      serving.catch(reject);
    });
    expect((await fetch(served, { method: "POST", body: "{}" })).status).toBe(415);
    stop.abort();
    await serving;
  }
  await expect(fetch(served, { method: "POST", body: "{}" })).rejects.toThrow("fetch failed");
});

verifies("health:patience", "a gateway does not end a call of its client at the default limit", async () => {
  await using dir = await tempDir();
  const stop = new AbortController();
  await using run = await runIn(dir, stop.signal);
  const gateway = await openGateway(run, {
    servers: [scripted("a", dir.at("starts"))],
    transport: { kind: "http", port: 0 },
    timeouts: { callMs: 100, totalMs: 200 },
  });
  let serving: Promise<void> | undefined;
  const url = await new Promise<string>((resolve, reject) => {
    serving = gateway.serve(resolve);
    serving.catch(reject);
  });
  const client = createServerEndpoint({ kind: "streamable-http", id: "gateway", url });
  await client.open();
  const result = await client.invoke("a__slow", { ms: 800, stepMs: 800, quiet: true });
  expect(result).toMatchObject({ isError: false, content: [{ type: "text", text: "done" }] });
  await client.close();
  stop.abort();
  await serving;
});

verifies("command:run", "a port in use is found before any server is started", async () => {
  await using dir = await tempDir();
  const starts = dir.at("starts");
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  const { port } = holder.address() as AddressInfo;
  const failing = async (): Promise<void> => {
    await using run = await runIn(dir);
    const transport = { kind: "http", port } as const;
    const gateway = await openGateway(run, { servers: [scripted("a", starts)], transport });
    await gateway.serve(() => {});
  };
  await expect(failing()).rejects.toThrow(`port ${port} is in use`);
  holder.close();
  expect(await readdir(dir.path)).toEqual(["state"]);
});

verifies("command:run", "what was opened is closed too when a later part fails to open", async () => {
  await using dir = await tempDir();
  const starts = dir.at("starts");
  const failing = async (): Promise<void> => {
    await using run = await runIn(dir);
    const servers = await openServers(run, { servers: [scripted("a", starts)] });
    await servers.settled;
    await openNativeTools(run, "no such collection");
  };
  await expect(failing()).rejects.toThrow("no such collection");
  await untilGone(await startedPids(starts, 1));
});

verifies("command:run", "a missing token or folder is found before any server is started", async () => {
  await using dir = await tempDir();
  await using run = await runIn(dir);
  const servers = [scripted("a", dir.at("starts"))];
  const http = { kind: "http", port: 0, tokenEnv: "INDUS_NOT_SET" } as const;
  await expect(openGateway(run, { servers, transport: http })).rejects.toThrow("INDUS_NOT_SET is not set");
  const { terminal, signal } = run;
  await expect(openRun({ terminal, signal, cwd: dir.at("gone") })).rejects.toThrow("is not a folder");
  expect(await readdir(dir.path)).toEqual([]);
});

verifies(
  "command:run",
  "the state folder of the workspace is created when it is first asked for",
  async () => {
    await using dir = await tempDir();
    await using run = await runIn(dir);
    expect(await readdir(dir.path)).toEqual([]);
    const [first, second] = await Promise.all([run.state.folder(), run.state.folder()]);
    expect(first).toBe(second);
    expect(first.workspace).toBe(dir.path);
    expect(first.path.startsWith(dir.at("state", "indusvx"))).toBe(true);
    expect(await readdir(first.path)).toEqual(["workspace.json"]);
  },
);
