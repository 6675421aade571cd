import { verifies } from "@indus/testkit";
import fc from "fast-check";
import type { ToolContentBlock } from "indusagi/llm";
import type { MCPContentBlock } from "indusagi/mcp";
import { expect } from "vitest";
import { BLOCKS } from "../../../../../test/servers/server.mjs";
import { fromMcpContent, toMcpContent } from "../../../src/mcp/translate/content.ts";

verifies("mcp-content:translate", "every block of a server goes in and out whole", () => {
  const blocks = BLOCKS.content.slice(0, 8) as unknown as MCPContentBlock[];
  expect(toMcpContent(fromMcpContent(blocks))).toEqual(blocks);
  expect(fromMcpContent([{ type: "text", text: "hi" }])).toEqual([{ kind: "text", text: "hi" }]);
  const junk = [...BLOCKS.content.slice(8), null] as unknown as MCPContentBlock[];
  expect(fromMcpContent(junk)).toEqual(junk.map((value) => ({ kind: "json", value })));
});

verifies("mcp-content:translate", "any block there and back is that block", () => {
  const block = fc.record({
    type: fc.constantFrom("text", "image", "new_kind"),
    text: fc.string(),
    more: fc.anything(),
  });
  fc.assert(
    fc.property(fc.array(block), (blocks) => {
      const given = blocks as unknown as MCPContentBlock[];
      expect(toMcpContent(fromMcpContent(given))).toEqual(given);
    }),
  );
});

verifies("mcp-content:translate", "data that only looks like a block goes out as text", () => {
  const lookalike: ToolContentBlock = { kind: "json", value: { type: "image", data: "AA==" } };
  expect(toMcpContent([lookalike])).toEqual([{ type: "text", text: '{"type":"image","data":"AA=="}' }]);
  expect(toMcpContent([{ kind: "json", value: undefined }])).toEqual([{ type: "text", text: "null" }]);
  expect(toMcpContent([{ kind: "json", value: 1n }])).toEqual([
    { type: "text", text: "[a value that is no JSON]" },
  ]);
});
