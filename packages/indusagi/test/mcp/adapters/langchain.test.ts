import { verifies } from "@indus/testkit";
import { ToolMessage } from "@langchain/core/messages";
import { DynamicStructuredTool, isLangChainTool } from "@langchain/core/tools";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { toLangChainTools } from "indusagi/mcp";
import { expect } from "vitest";
import { PIXEL, sampleBox } from "./sample-box.ts";

const call = (name: string, args: Record<string, unknown> = {}) => ({
  type: "tool_call" as const,
  id: "c1",
  name,
  args,
});

function toolNamed(name: string): DynamicStructuredTool {
  const tools = toLangChainTools(sampleBox().box, DynamicStructuredTool);
  const found = tools.find((tool) => tool.name === name);
  if (!found) throw new Error(`no tool ${name}`);
  return found;
}

verifies("mcp-adapters:langchain", "with LangChain's class the tools make tool messages", async () => {
  const add = toolNamed("math__add");
  expect(add).toBeInstanceOf(DynamicStructuredTool);
  expect(isLangChainTool(add)).toBe(true);
  const message: unknown = await add.invoke(call("math__add", { a: 1, b: 2 }));
  expect(message).toBeInstanceOf(ToolMessage);
  expect(message).toMatchObject({
    content: "3",
    tool_call_id: "c1",
    name: "math__add",
    artifact: { content: [{ type: "text", text: "3" }], isError: false },
  });
  expect(await add.invoke({ a: 40, b: 2 })).toBe("42");
});

verifies(
  "mcp-adapters:langchain",
  "failures are answers, images are content, and the artifact is complete",
  async () => {
    expect(await toolNamed("fails").invoke(call("fails"))).toMatchObject({
      content: "Error: no such file: a.txt",
      artifact: { isError: true },
    });
    const { content, artifact } = (await toolNamed("shapes").invoke(call("shapes"))) as ToolMessage;
    expect(content).toContainEqual({
      type: "image_url",
      image_url: { url: `data:image/png;base64,${PIXEL}` },
    });
    expect((artifact as { content: unknown[] }).content).toHaveLength(8);
    expect(await toolNamed("silent").invoke({})).toBe("(no output)");
  },
);

verifies(
  "mcp-adapters:langchain",
  "without the class the result can be bound to models and used to create tools",
  () => {
    const fields = toLangChainTools(sampleBox().box);
    for (const one of fields) {
      expect(isLangChainTool(one)).toBe(true);
      expect(convertToOpenAITool(one as never)).toEqual({
        type: "function",
        function: { name: one.name, description: one.description, parameters: one.schema },
      });
    }
  },
);

verifies("mcp-adapters:langchain", "an abort of the run ends the tool and is thrown", async () => {
  const stop = new AbortController();
  const running = toolNamed("waits").invoke({}, { signal: stop.signal });
  stop.abort(new Error("enough"));
  await expect(running).rejects.toThrow();
});
