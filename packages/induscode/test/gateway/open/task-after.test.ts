import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import {
  modernRequest,
  type RawMessage,
  send,
} from "../../../../indusagi/test/interop/host/http/raw-http.ts";
import { runLine, tasksRow } from "../../commands/run-line.ts";
import { serveIn } from "./serve-in.ts";

const TASKS = "io.modelcontextprotocol/tasks";
const up = { kind: "stdio", id: "up", ...tasksRow() } as const;

async function ask(url: string, method: string, params: object): Promise<RawMessage> {
  const { taskId } = params as { readonly taskId?: string };
  const _meta = { "io.modelcontextprotocol/clientCapabilities": { extensions: { [TASKS]: {} } } };
  const { headers, body } = modernRequest(1, method, { ...params, _meta });
  const named = { ...headers, ...(taskId !== undefined && { "mcp-name": taskId }) };
  return (await send(url, { headers: named, body })).messages.at(-1) ?? {};
}

const SLOW = { name: "up__slow", arguments: {} };

verifies(
  "tasks:after",
  "a long call through the gateway becomes a task; at /mcp/SERVER it stays a call",
  async () => {
    await using dir = await tempDir();
    await using served = await serveIn(dir, { taskAfterMs: 50 }, [up]);
    const { result: created } = await ask(served.url, "tools/call", SLOW);
    expect(created).toMatchObject({ resultType: "task", status: "working" });
    const taskId = created?.["taskId"];
    await expect
      .poll(async () => (await ask(served.url, "tasks/get", { taskId })).result, { timeout: 10_000 })
      .toMatchObject({ status: "completed", result: { content: [{ text: "not a task" }] } });
    // The tasks of the server itself pass, if a busy machine makes them within 50 ms.
    const endless = { ...SLOW, name: "up__endless" };
    await expect
      .poll(async () => (await ask(served.url, "tools/call", endless)).result)
      .toMatchObject({ resultType: "task", pollIntervalMs: 20 });
    const alone = await ask(`${served.url}/up`, "tools/call", { ...SLOW, name: "slow" });
    expect(alone.result).toMatchObject({ content: [{ text: "not a task" }] });
  },
);

verifies("tasks:after", "by default a long call stays a call, and a wrong time is one line", async () => {
  await using dir = await tempDir();
  await using served = await serveIn(dir, {}, [up]);
  expect((await ask(served.url, "tools/call", SLOW)).result).toMatchObject({
    content: [{ text: "not a task" }],
  });
  for (const wrong of ["30", "0s", "11m", "soon"]) {
    const { code, err } = await runLine(dir, ["serve", "--stdio", "--task-after", wrong]);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining(`--task-after takes a time from 1s to 10m, for example 30s`),
    ]);
  }
});

verifies(
  "tasks:relayed",
  "a task is passed on from the first call, before the tools are listed, and from a tool that is searched for",
  async () => {
    await using dir = await tempDir();
    await using served = await serveIn(dir, {}, [up]);
    const first = await ask(served.url, "tools/call", { name: "up__endless", arguments: {} });
    expect(first.result).toMatchObject({ resultType: "task", status: "working" });
    await using searched = await serveIn(dir, { listing: "search" }, [up]);
    const params = { name: "tool_call", arguments: { name: "up__endless", arguments: {} } };
    const { result } = await ask(searched.url, "tools/call", params);
    expect(result).toMatchObject({ resultType: "task", status: "working" });
    const { taskId } = result ?? {};
    expect((await ask(searched.url, "tasks/get", { taskId })).result).toMatchObject({
      taskId,
      status: "working",
    });
  },
);
