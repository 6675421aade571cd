import { callCounts, tempDir, toolLookUps, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { scriptedRow, writeConfig } from "../../bin/run-indus.ts";
import { calling, printRun } from "../../commands/session/print-run.ts";
import { openTestSession } from "../../conductor/open/open-test-session.ts";
import { serveIn } from "./serve-in.ts";

/** A client without any code of ours: only the gateway is counted. */
async function rawClient(url: string): Promise<(name: string, args: object) => Promise<string>> {
  let session: string | undefined;
  let id = 0;
  const send = async (method: string, params: object): Promise<string> => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-06-18",
        ...(session === undefined ? {} : { "mcp-session-id": session }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }),
      signal: AbortSignal.timeout(30_000),
    });
    session ??= response.headers.get("mcp-session-id") ?? undefined;
    return response.text();
  };
  await send("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "raw", version: "1" },
  });
  await send("tools/list", {});
  return (name, args) => send("tools/call", { name, arguments: args });
}

verifies(
  "house:once",
  "a call through a gateway is looked up, examined and measured once, and its arguments are coerced once if the tool is ours",
  async () => {
    await using dir = await tempDir();
    await using served = await serveIn(dir, {
      listing: "search",
      policy: { mode: "default", allow: ["*"], deny: [] },
    });
    const call = await rawClient(served.url);
    const counted = async (name: string, args: object, known: readonly string[]) => {
      expect(await call(name, args)).toContain('"result"'); // Loads what the first call loads.
      let lookUps: string[] = [];
      const countOf = await callCounts(async () => {
        lookUps = await toolLookUps(known, () => call(name, args));
      });
      const [coerced, examined, sized] = ["coerceArguments", "examineCall", "jsonSize"].map(countOf);
      return { lookUps, coerced, examined, sized };
    };
    expect(await counted("s__echo", { text: "x" }, ["s__echo", "echo"])).toEqual({
      lookUps: ["s__echo"],
      coerced: 0,
      examined: 1,
      sized: 2, // The arguments and the result.
    });
    expect(await counted("ls", { path: "." }, ["ls"])).toEqual({
      lookUps: ["ls"],
      coerced: 1,
      examined: 1,
      sized: 2,
    });
    const inner = { name: "s__echo", arguments: { text: "x" } };
    expect(await counted("tool_call", inner, ["tool_call", "s__echo", "echo"])).toEqual({
      lookUps: ["tool_call", "s__echo"],
      coerced: 1, // Those of tool_call, which is ours.
      examined: 1,
      sized: 2,
    });
  },
  { timeoutMs: 60_000 },
);

verifies(
  "house:once",
  "a call of a session is looked up and examined once, and its arguments are coerced once",
  async () => {
    const rounds = [1, 2].flatMap(() => [
      calling(["bash", { command: "echo hello" }]),
      { text: "done" },
      calling(["s__echo", { text: "hello" }]),
      { text: "done" },
    ]);
    await using test = await printRun(rounds);
    await writeConfig(`${test.project}/servers.json`, { s: scriptedRow() });
    await using run = await test.run();
    const { turn } = await openTestSession(run, {
      line: { mcp: [`${test.project}/servers.json`] },
      flags: { allow: ["bash"], sandbox: "off" },
    });
    await turn("bash once");
    await turn("echo once");
    for (const name of ["bash", "s__echo"]) {
      let lookUps: string[] = [];
      const countOf = await callCounts(async () => {
        lookUps = await toolLookUps([name, "echo"], () => turn(`${name} again`));
      });
      expect([name, countOf("coerceArguments"), countOf("examineCall")]).toEqual([name, 1, 1]);
      expect(lookUps).toEqual([name]);
    }
  },
  { timeoutMs: 60_000 },
);
