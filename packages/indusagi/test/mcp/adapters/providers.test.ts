import { verifies } from "@indus/testkit";
import { defineTool, makeLocalContext, ToolRegistry, type ToolSpec } from "indusagi/capabilities";
import { toAiSdkTools, toAnthropicTools, toGeminiTools, toLangChainTools, toOpenAITools } from "indusagi/mcp";
import { mcpBlock, type ToolBox, type ToolOutcome, textResult } from "indusagi/runtime";
import { expect } from "vitest";
import * as published from "./published-shapes.ts";
import { oneMore, PIXEL, sampleBox } from "./sample-box.ts";

const NAMES = ["math__add", "shapes", "fails", "silent", "data", "long"];

verifies("mcp-adapters:openai", "Chat Completions: tools, calls and tool messages", async () => {
  const { tools, dispatch } = toOpenAITools(sampleBox().box);
  expect(tools).toHaveLength(8);
  for (const tool of tools) published.openAIChatTool(tool);
  const call = (name: string, args = "{}") => dispatch({ id: "c1", function: { name, arguments: args } });
  expect(await call("math__add", '{"a":1,"b":2}')).toEqual({
    role: "tool",
    tool_call_id: "c1",
    content: "3",
  });
  for (const name of NAMES) published.openAIToolMessage(await call(name));
  const { content } = await call("shapes", "");
  expect(content.split("\n")).toEqual([
    "words",
    '{"n":1}',
    expect.stringMatching(/^\[image\/png, \d+ bytes, cannot be shown here\]$/),
    "[audio/wav, 3 bytes, cannot be shown here]",
    "inside",
    expect.stringMatching(/^\[application\/pdf/),
    "[resource c, test://c, a link]",
    '{"type":"hologram","data":"new"}',
  ]);
  expect((await call("data")).content).toBe('{"n":7}');
  expect((await call("silent")).content).toBe("(no output)");
});

verifies("mcp-adapters:openai", "Responses: tools, calls and outputs, images as images", async () => {
  const { tools, dispatch } = toOpenAITools(sampleBox().box, { api: "responses" });
  for (const tool of tools) published.openAIResponsesTool(tool);
  const call = (name: string) => dispatch({ call_id: "c1", name, arguments: "{}" });
  for (const name of NAMES) published.openAIFunctionCallOutput(await call(name));
  expect((await call("shapes")).output).toContainEqual({
    type: "input_image",
    image_url: `data:image/png;base64,${PIXEL}`,
    detail: "auto",
  });
  expect(await call("fails")).toEqual({
    type: "function_call_output",
    call_id: "c1",
    output: "Error: no such file: a.txt",
  });
});

/** A box with one tool. */
function boxOf(spec: Partial<ToolSpec>): ToolBox {
  const parameters = { type: "object", properties: {} };
  const whole = {
    name: "only",
    description: "Only one.",
    parameters,
    run: () => textResult("here"),
    ...spec,
  };
  const session = makeLocalContext(process.cwd());
  return new ToolRegistry().registerAll([defineTool(whole)]).toToolBox(() => session);
}

verifies("mcp-adapters:openai-description", "a description is cut at 1024 units for both interfaces", () => {
  const told = (description: string, options: { readonly maxDescription?: number } = {}): string => {
    const box = boxOf({ description });
    const [chat] = toOpenAITools(box, options).tools;
    const [response] = toOpenAITools(box, { ...options, api: "responses" }).tools;
    expect(response?.description).toBe(chat?.function.description);
    return chat?.function.description ?? "";
  };
  for (const length of [1, 1023, 1024]) expect(told("x".repeat(length))).toBe("x".repeat(length));
  expect(told("x".repeat(1025))).toBe(`${"x".repeat(1023)}…`);
  // The last unit that fits is the first half of a pair.
  expect(told(`${"x".repeat(1022)}😀${"x".repeat(9)}`)).toBe(`${"x".repeat(1022)}…`);
  expect(told(`${"x".repeat(1021)}😀${"x".repeat(9)}`)).toBe(`${"x".repeat(1021)}😀…`);
  expect(told(`${"x".repeat(1022)}😀`)).toBe(`${"x".repeat(1022)}😀`);
  expect(told("x".repeat(5_000), { maxDescription: 4_096 })).toBe(`${"x".repeat(4_095)}…`);
  expect(told("x".repeat(5_000), { maxDescription: Number.POSITIVE_INFINITY })).toHaveLength(5_000);
  expect(told("x", { maxDescription: 0 })).toBe("…");
});

verifies("mcp-adapters:anthropic", "an error holds only text, and an image in it is described", async () => {
  const content = [
    ...textResult("broken").content,
    mcpBlock({ type: "image", data: PIXEL, mimeType: "image/png" }),
  ];
  const box = boxOf({ run: () => ({ content, isError: true }) });
  const result = await toAnthropicTools(box).dispatch({ id: "u1", name: "only", input: {} });
  published.anthropicToolResult(result);
  expect(result).toEqual({
    type: "tool_result",
    tool_use_id: "u1",
    is_error: true,
    content: [
      { type: "text", text: "broken" },
      { type: "text", text: expect.stringMatching(/^\[image\/png, \d+ bytes, cannot be shown here\]$/) },
    ],
  });
});

verifies("mcp-adapters:gemini", "without tools there is no list of declarations", () => {
  const registry = new ToolRegistry();
  const session = makeLocalContext(process.cwd());
  const gemini = toGeminiTools(registry.toToolBox(() => session));
  expect(gemini.tools).toEqual([]);
  registry.register(oneMore);
  expect(gemini.tools).toMatchObject([{ functionDeclarations: [{ name: "later" }] }]);
});

verifies("mcp-adapters:source", "an object without a tool box is refused with an explanation", () => {
  const adapters: readonly ((source: ToolBox) => unknown)[] = [
    toAiSdkTools,
    toAnthropicTools,
    toGeminiTools,
    toLangChainTools,
    toOpenAITools,
  ];
  const message = /^an adapter needs a tool box .*; put a single client into a pool$/;
  for (const noBox of [{ listTools: () => [] }, Promise.resolve(), {}, "box", null, undefined]) {
    for (const adapter of adapters) {
      const adapt = (): unknown => adapter(noBox as unknown as ToolBox);
      expect(adapt).toThrow(TypeError);
      expect(adapt).toThrow(message);
    }
  }
});

verifies(
  "mcp-adapters:anthropic",
  "Messages: tools, tool_use and tool_result, images and documents as such",
  async () => {
    const { tools, dispatch } = toAnthropicTools(sampleBox().box);
    for (const tool of tools) published.anthropicTool(tool);
    const call = (name: string, input: unknown = {}) => dispatch({ id: "u1", name, input });
    for (const name of NAMES) published.anthropicToolResult(await call(name));
    expect(await call("math__add", { a: 1, b: 2 })).toEqual({
      type: "tool_result",
      tool_use_id: "u1",
      content: [{ type: "text", text: "3" }],
    });
    const { content } = await call("shapes");
    expect(content.map(({ type }) => type)).toEqual([
      "text",
      "text",
      "image",
      "text",
      "text",
      "document",
      "text",
      "text",
    ]);
    expect(await call("fails")).toMatchObject({ is_error: true, content: [{ text: "no such file: a.txt" }] });
  },
);

verifies(
  "mcp-adapters:gemini",
  "generateContent: declarations, calls and responses, images as parts",
  async () => {
    const { tools, dispatch } = toGeminiTools(sampleBox().box);
    for (const tool of tools) published.geminiTool(tool);
    for (const name of NAMES)
      published.geminiFunctionResponse(await dispatch({ name, args: { a: 1, b: 1 } }));
    expect(await dispatch({ id: "g1", name: "math__add", args: { a: 1, b: 2 } })).toEqual({
      functionResponse: { id: "g1", name: "math__add", response: { output: "3" } },
    });
    const { functionResponse } = await dispatch({ name: "shapes" });
    expect(functionResponse.parts?.map(({ inlineData }) => inlineData.mimeType)).toEqual([
      "image/png",
      "application/pdf",
    ]);
    expect((await dispatch({ name: "fails" })).functionResponse.response).toEqual({
      error: "no such file: a.txt",
    });
    const older = await toGeminiTools(sampleBox().box, { media: false }).dispatch({ name: "shapes" });
    expect(older.functionResponse).not.toHaveProperty("parts");
    expect(JSON.stringify(older)).toContain("[image/png");
  },
);

verifies(
  "mcp-adapters:names",
  "a name that the provider refuses is projected, and its call reaches the tool",
  async () => {
    const { box } = sampleBox();
    const anthropic = toAnthropicTools(box);
    const odd = anthropic.tools[2]?.name ?? "";
    expect(odd).toMatch(/^9_odd_name_[0-9a-f]{8}$/);
    expect((await anthropic.dispatch({ id: "1", name: odd, input: {} })).content).toEqual([
      { type: "text", text: "odd" },
    ]);
    const gemini = toGeminiTools(box);
    const name = gemini.tools[0]?.functionDeclarations[2]?.name ?? "";
    expect(name).toMatch(/^_\.odd_name_[0-9a-f]{8}$/);
    expect((await gemini.dispatch({ name })).functionResponse).toEqual({ name, response: { output: "odd" } });
    const openai = toOpenAITools(box);
    const call = { id: "1", function: { name: openai.tools[2]?.function.name ?? "", arguments: "{}" } };
    expect((await openai.dispatch(call)).content).toBe("odd");
  },
);

verifies(
  "mcp-adapters:source",
  "a box or an object with one is accepted, and changes are visible on the next read",
  async () => {
    const { box, registry } = sampleBox();
    const adapter = toAnthropicTools({ toolBox: () => box });
    expect(adapter.tools).toHaveLength(8);
    registry.register(oneMore);
    expect(adapter.tools).toHaveLength(9);
    expect((await adapter.dispatch({ id: "1", name: "later", input: {} })).content).toEqual([
      { type: "text", text: "here" },
    ]);
    registry.remove("later");
    expect(adapter.tools).toHaveLength(8);
    expect(await adapter.dispatch({ id: "1", name: "later", input: {} })).toMatchObject({ is_error: true });
  },
);

verifies(
  "mcp-adapters:failure",
  "an unknown tool, invalid arguments and an abort have a result",
  async () => {
    const { box } = sampleBox();
    const openai = toOpenAITools(box);
    const unknown = await openai.dispatch({ id: "1", function: { name: "nope", arguments: "{}" } });
    expect(unknown.content).toBe('Error: there is no tool named "nope"');
    const broken = await openai.dispatch({ id: "1", function: { name: "math__add", arguments: "{a:" } });
    expect(broken).toEqual({
      role: "tool",
      tool_call_id: "1",
      content: "Error: math__add: the arguments are not valid JSON; send one JSON object",
    });
    const throwing = {
      onOutcome: (): void => {
        throw new Error("a faulty listener");
      },
    };
    const sum = { id: "1", function: { name: "math__add", arguments: '{"a":1,"b":2}' } };
    expect((await openai.dispatch(sum, throwing)).content).toBe("3");
    const stop = new AbortController();
    const waiting = toAnthropicTools(box).dispatch(
      { id: "1", name: "waits", input: {} },
      { signal: stop.signal },
    );
    stop.abort(new Error("enough"));
    expect(await waiting).toMatchObject({
      is_error: true,
      content: [{ text: expect.stringContaining("aborted") }],
    });
    published.anthropicToolResult(await waiting);
  },
);

verifies(
  "mcp-adapters:budget",
  "the model gets 64 KiB by default, and onOutcome gets everything",
  async () => {
    const { box } = sampleBox();
    let whole: ToolOutcome | undefined;
    const cut = await toAnthropicTools(box).dispatch(
      { id: "1", name: "long", input: {} },
      { onOutcome: (outcome) => (whole = outcome) },
    );
    const length = (result: typeof cut): number => JSON.stringify(result.content).length;
    expect(length(cut)).toBeGreaterThan(65_536);
    expect(length(cut)).toBeLessThan(66_000);
    expect(whole?.output).toHaveLength(200_000);
    const small = await toAnthropicTools(box, { maxBytes: 100 }).dispatch({
      id: "1",
      name: "long",
      input: {},
    });
    expect(length(small)).toBeLessThan(250);
  },
);
