import { verifies } from "@indus/testkit";
import { MCPClient, type MCPLogMessage, type MCPServerConfig } from "indusagi/mcp";
import { expect } from "vitest";
import { everythingOverHttp, everythingOverStdio } from "../kit/everything-server.ts";
import { textOf } from "./text-of.ts";

async function useEverything(config: MCPServerConfig): Promise<void> {
  const logs: MCPLogMessage[] = [];
  const updated: string[] = [];
  await using client = new MCPClient({
    name: "everything",
    config,
    roots: [{ uri: "file:///srv", name: "srv" }],
    elicitation: async () => ({ action: "accept", content: { name: "Ada" } }),
    sampling: async () => ({
      role: "assistant",
      model: "none",
      content: { type: "text", text: "hello there" },
    }),
    logger: (message) => void logs.push(message),
  });
  client.setResourceUpdatedHandler(({ uri }) => void updated.push(uri));
  await client.connect();
  expect(await client.listTools()).toHaveLength(17);
  expect(textOf(await client.callTool("get-sum", { a: 2, b: 3 }))).toMatch(/is 5/);
  expect(await client.callTool("get-structured-content", { location: "Chicago" })).toMatchObject({
    structuredContent: { temperature: expect.any(Number) },
  });
  expect((await client.callTool("get-tiny-image")).content).toContainEqual(
    expect.objectContaining({ type: "image", mimeType: "image/png" }),
  );
  const notes: number[] = [];
  const onProgress = ({ progress }: { readonly progress: number }): void => void notes.push(progress);
  await client.callTool("trigger-long-running-operation", { duration: 0.2, steps: 2 }, { onProgress });
  expect(notes).toEqual([1, 2]);
  const asked = async (tool: string, args = {}) =>
    JSON.stringify((await client.callTool(tool, args)).content);
  expect(await asked("trigger-elicitation-request")).toContain("Ada");
  expect(await asked("trigger-sampling-request", { prompt: "greet" })).toContain("hello there");
  expect(await asked("get-roots-list")).toContain("file:///srv");
  await expect(client.callTool("nonesuch")).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
  await expect(client.callTool("get-sum", { a: "two" })).resolves.toMatchObject({ isError: true });

  const [first] = await client.listResources();
  if (!first) throw new Error("the public server lists no resource");
  expect((await client.readResource(first.uri)).contents).toHaveLength(1);
  expect((await client.listResourceTemplates()).length).toBeGreaterThan(0);
  await expect(client.readResource("test://nowhere")).rejects.toMatchObject({ code: "RESOURCE_NOT_FOUND" });
  expect((await client.listPrompts()).map(({ name }) => name)).toContain("args-prompt");
  expect((await client.getPrompt("args-prompt", { city: "Oslo" })).messages[0]).toMatchObject({
    role: "user",
  });
  await expect(client.getPrompt("args-prompt")).rejects.toMatchObject({ code: "INVALID_PARAMETERS" });
  await expect(client.getPrompt("nonesuch")).rejects.toMatchObject({ code: "PROMPT_NOT_FOUND" });
  await client.setLoggingLevel("debug");
  await client.subscribeResource(first.uri);
  await client.callTool("toggle-subscriber-updates");
  await expect.poll(() => updated, { timeout: 8000 }).toContain(first.uri);
  await client.unsubscribeResource(first.uri);
  expect(logs.filter(({ serverName }) => serverName === "everything").length).toBeGreaterThan(0);
}

verifies(
  "mcp-client:transports",
  "over stdio, Streamable HTTP and SSE, side by side",
  async () => {
    await using http = await everythingOverHttp("streamableHttp");
    await using sse = await everythingOverHttp("sse");
    await Promise.all([everythingOverStdio, http.config, sse.config].map(useEverything));
  },
  { timeoutMs: 60_000 },
);
