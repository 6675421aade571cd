import { verifies } from "@indus/testkit";
import { generateText, stepCountIs, streamText } from "ai";
import { MockLanguageModelV3, simulateReadableStream } from "ai/test";
import { mountProtocolBridge } from "indusagi/interop";
import { toAiSdkTools } from "indusagi/mcp";
import { expect } from "vitest";
import { inProcess } from "../../interop/kit/scripted.ts";
import { PIXEL, sampleBox } from "./sample-box.ts";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

type Generated = Awaited<ReturnType<MockLanguageModelV3["doGenerate"]>>;
type Streamed =
  Awaited<ReturnType<MockLanguageModelV3["doStream"]>>["stream"] extends ReadableStream<infer Part>
    ? Part
    : never;

const asks = (toolName: string, input: unknown = {}): Generated => ({
  content: [{ type: "tool-call", toolCallId: "c1", toolName, input: JSON.stringify(input) }],
  finishReason: { unified: "tool-calls", raw: undefined },
  usage,
  warnings: [],
});
const message = (text: string): Generated => ({
  content: [{ type: "text", text }],
  finishReason: { unified: "stop", raw: undefined },
  usage,
  warnings: [],
});

/** Lets a model that asks for one tool and then stops loose on the tools. */
async function runOnce(toolName: string, input: unknown = {}, tools = toAiSdkTools(sampleBox().box)) {
  const model = new MockLanguageModelV3({ doGenerate: [asks(toolName, input), message("done")] });
  const result = await generateText({ model, tools, prompt: "go", stopWhen: stepCountIs(3) });
  const [last] = (model.doGenerateCalls[1]?.prompt.at(-1)?.content ?? []) as { output?: unknown }[];
  return { model, result, told: last?.output };
}

verifies("mcp-adapters:ai-sdk", "generateText shows the schema as it is and runs the tool", async () => {
  const { model, result, told } = await runOnce("math__add", { a: 1, b: 2 });
  expect(result.text).toBe("done");
  expect(model.doGenerateCalls[0]?.tools?.[0]).toMatchObject({
    type: "function",
    name: "math__add",
    description: "Adds two numbers.",
    inputSchema: {
      type: "object",
      properties: { a: { type: "integer" }, b: { type: ["integer", "null"] } },
      required: ["a", "b"],
    },
  });
  expect(result.steps[0]?.toolResults[0]).toMatchObject({
    toolName: "math__add",
    output: { content: [{ type: "text", text: "3" }], isError: false },
  });
  expect(told).toEqual({ type: "text", value: "3" });
});

verifies(
  "mcp-adapters:ai-sdk",
  "a failure is sent as an error, images and files in their own form",
  async () => {
    const failed = await runOnce("fails");
    expect(failed.told).toEqual({ type: "error-text", value: "no such file: a.txt" });
    expect(failed.result.steps[0]?.toolResults[0]).toMatchObject({ output: { isError: true } });
    const { told } = await runOnce("shapes");
    const { type, value } = told as { type: string; value: unknown[] };
    expect(type).toBe("content");
    expect(value).toContainEqual({ type: "text", text: "words" });
    expect(value).toContainEqual({ type: "image-data", data: PIXEL, mediaType: "image/png" });
    expect(value).toContainEqual({ type: "file-data", data: "AAAA", mediaType: "audio/wav" });
    expect(value).toHaveLength(8);
  },
);

verifies("mcp-adapters:ai-sdk", "long texts are cut for the model and whole in the result", async () => {
  const { told, result } = await runOnce("long");
  expect((told as { value: string }).value.length).toBeLessThan(66_000);
  expect(JSON.stringify(result.steps[0]?.toolResults[0]?.output).length).toBeGreaterThan(200_000);
});

verifies("mcp-adapters:ai-sdk", "a stored output of another shape is sent as data", () => {
  const tool = toAiSdkTools(sampleBox().box)["silent"];
  expect(tool?.toModelOutput({ output: { old: 1 } })).toEqual({ type: "text", value: '{"old":1}' });
  expect(tool?.toModelOutput({ output: undefined })).toEqual({ type: "text", value: "(no output)" });
});

verifies(
  "mcp-adapters:ai-sdk",
  "version 5 passes the result itself and gets its own output types",
  async () => {
    const tools = toAiSdkTools(sampleBox().box);
    const tool = tools["silent"];
    const hello = { content: [{ type: "text", text: "hello" }], isError: false };
    const told = { type: "text", value: "hello" };
    expect(tool?.toModelOutput(hello)).toEqual(told);
    expect(tool?.toModelOutput({ toolCallId: "c1", input: {}, output: hello })).toEqual(told);
    // A server may put what it likes beside the content of its answer.
    expect(tool?.toModelOutput({ ...hello, output: "other" })).toEqual(told);
    expect(tool?.toModelOutput({ ...hello, isError: true })).toEqual({ type: "error-text", value: "hello" });
    const shapes = await tools["shapes"]?.execute({}, { toolCallId: "c1" });
    const value = tool?.toModelOutput(shapes).value;
    expect(value).toContainEqual({ type: "media", data: PIXEL, mediaType: "image/png" });
    expect(JSON.stringify(value)).not.toContain("-data");
  },
);

verifies("mcp-adapters:ai-sdk", "a value that is not a result is sent as data, in both versions", () => {
  const tool = toAiSdkTools(sampleBox().box)["silent"];
  const old = { type: "text", value: '{"old":1}' };
  expect(tool?.toModelOutput({ toolCallId: "c1", input: {}, output: { old: 1 } })).toEqual(old);
  expect(tool?.toModelOutput({ old: 1 })).toEqual(old);
  const none = { type: "text", value: "(no output)" };
  expect(tool?.toModelOutput(undefined)).toEqual(none);
  expect(tool?.toModelOutput({ toolCallId: "c1", input: {}, output: undefined })).toEqual(none);
});

verifies("mcp-adapters:ai-sdk", "streamText runs the tools as well", async () => {
  const parts: readonly (readonly Streamed[])[] = [
    [
      { type: "stream-start", warnings: [] },
      { type: "tool-call", toolCallId: "c1", toolName: "math__add", input: '{"a":20,"b":22}' },
      { type: "finish", finishReason: { unified: "tool-calls", raw: undefined }, usage },
    ],
    [
      { type: "stream-start", warnings: [] },
      { type: "text-start", id: "t" },
      { type: "text-delta", id: "t", delta: "done" },
      { type: "text-end", id: "t" },
      { type: "finish", finishReason: { unified: "stop", raw: undefined }, usage },
    ],
  ];
  const model = new MockLanguageModelV3({
    doStream: parts.map((chunks) => ({ stream: simulateReadableStream({ chunks: [...chunks] }) })),
  });
  const result = streamText({
    model,
    tools: toAiSdkTools(sampleBox().box),
    prompt: "go",
    stopWhen: stepCountIs(3),
  });
  expect(await result.text).toBe("done");
  const [step] = await result.steps;
  expect(step?.toolResults[0]).toMatchObject({ output: { content: [{ type: "text", text: "42" }] } });
});

verifies(
  "mcp-adapters:ai-sdk",
  "an abort of the run ends the tool, and is thrown as the SDK expects",
  async () => {
    const stop = new AbortController();
    const tool = toAiSdkTools(sampleBox().box)["waits"];
    const running = tool?.execute({}, { toolCallId: "c1", abortSignal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
  },
);

verifies(
  "mcp-adapters:ai-sdk",
  "a model reaches a mounted server's tools through the SDK and the bridge",
  async () => {
    const { box, fleet } = await mountProtocolBridge(
      { servers: [{ kind: "stdio", id: "s", command: "unused" }] },
      { probeMs: 10_000, transport: () => inProcess() },
    );
    try {
      const { told, result } = await runOnce("s__blocks", {}, toAiSdkTools({ toolBox: () => box }));
      expect((told as { value: unknown[] }).value).toContainEqual({
        type: "image-data",
        data: "AA==",
        mediaType: "image/png",
      });
      expect(result.steps[0]?.toolResults[0]?.output).toMatchObject({
        structuredContent: { nested: { list: [1, 2, 3] } },
        _meta: { "example/trace": "abc" },
      });
    } finally {
      await fleet.tearDown();
    }
  },
);
