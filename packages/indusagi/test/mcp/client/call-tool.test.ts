import { verifies } from "@indus/testkit";
import { MCPClient, type MCPLogMessage, type MCPProgressNotification } from "indusagi/mcp";
import { expect } from "vitest";
import { BLOCKS } from "../../../../../test/servers/server.mjs";
import { scriptedOptions } from "../kit/in-process.ts";
import { textOf } from "./text-of.ts";

for (const era of ["legacy", "modern"] as const) {
  verifies("mcp-client:tools", `${era}: definitions and results come as the server sent them`, async () => {
    await using client = new MCPClient(scriptedOptions("s", { era, pages: 5 }));
    await client.connect();
    const echo = (await client.listTools()).find(({ name }) => name === "echo");
    expect(echo).toEqual({
      name: "echo",
      description: "The echo tool.",
      inputSchema: { type: "object", properties: { text: { type: ["string", "null"] } } },
      "x-unknown": { kept: true },
      _meta: { "example/key": "echo" },
    });
    expect(await client.callTool("echo", { text: "hi" })).toMatchObject({
      content: [{ type: "text", text: "hi" }],
      isError: false,
    });
    expect(await client.callTool("blocks")).toMatchObject({
      content: BLOCKS.content,
      structuredContent: { nested: { list: [1, 2, 3] } },
      _meta: { "example/trace": "abc" },
    });
    expect(await client.callTool("fail")).toMatchObject({ isError: true });
    expect(textOf(await client.callTool("args"))).toBe("{}");
  });

  verifies("mcp-client:progress", `${era}: the call, the client and the logger hear it`, async () => {
    const logged: MCPLogMessage[] = [];
    await using client = new MCPClient({
      ...scriptedOptions("s", { era }),
      enableProgressTracking: true,
      logger: (message) => void logged.push(message),
    });
    const events: MCPProgressNotification[] = [];
    client.setProgressHandler((note) => {
      events.push(note);
      throw new Error("a handler's own trouble");
    });
    await client.connect();
    const notes: unknown[] = [];
    await client.callTool("slow", { ms: 60 }, { onProgress: (note) => notes.push(note) });
    expect(notes[0]).toEqual({ progress: 1, total: 100, message: "step 1" });
    const { progressToken, ...event } = events[0] ?? {};
    expect(event).toEqual({ ...(notes[0] as object), serverName: "s", toolName: "slow" });
    expect(progressToken).toEqual(expect.any(Number));
    expect(new Set(events.map((each) => each.progressToken))).toEqual(new Set([progressToken]));
    await client.callTool("slow", { ms: 60 });
    expect(events.at(-1)?.progressToken).toEqual(expect.any(Number));
    expect(events.at(-1)?.progressToken).not.toBe(progressToken); // Each call has its own.
    events.length = notes.length;
    expect(events).toHaveLength(notes.length);
    expect(logged[0]).toMatchObject({
      level: "debug",
      serverName: "s",
      message: 'tool "slow": 1 of 100, step 1',
    });
  });

  verifies(
    "mcp-client:abort",
    `${era}: the call rejects with the reason, and the server is notified`,
    async () => {
      await using client = new MCPClient(scriptedOptions("s", { era }));
      await client.connect();
      const reason = new Error("enough");
      await expect(client.callTool("echo", {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      const abort = new AbortController();
      setTimeout(() => abort.abort(reason), 20);
      await expect(client.callTool("silent", {}, { signal: abort.signal })).rejects.toBe(reason);
      expect(JSON.parse(textOf(await client.callTool("cancelled")))).toHaveLength(1);
    },
  );
}

verifies(
  "mcp-client:deadline",
  "a call's shorter timeout ends it, with an error that names tool and server",
  async () => {
    await using client = new MCPClient(scriptedOptions("s"));
    await client.connect();
    const error = await client.callTool("silent", {}, { timeout: 40 }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "TIMEOUT", serverName: "s", toolName: "silent" });
    expect(String(error)).toMatch(
      /tool "silent" of server "s" did not answer within 40 ms; set a longer timeout/,
    );
    expect(textOf(await client.callTool("echo", { text: "on" }))).toBe("on");
  },
);

verifies("mcp-client:deadline", "a call's longer timeout and progress extend its time", async () => {
  await using client = new MCPClient({ ...scriptedOptions("s"), timeout: 1000 });
  await client.connect();
  const [silent, patient, lively] = await Promise.allSettled([
    client.callTool("silent"),
    client.callTool("slow", { ms: 1300, quiet: true }, { timeout: 20_000 }),
    client.callTool("slow", { ms: 1300 }),
  ]);
  expect(silent).toMatchObject({ status: "rejected", reason: { code: "TIMEOUT" } });
  for (const call of [patient, lively])
    expect(call).toMatchObject({ value: { content: [{ text: "done" }], isError: false } });
  await expect(client.callTool("echo", {}, { timeout: 0 })).rejects.toMatchObject({
    code: "INVALID_PARAMETERS",
    toolName: "echo",
  });
});
