import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { showToolLines, showToolOutlines } from "../../../src/screen/index.ts";

const add = {
  name: "notes__add",
  description: "Adds a note. The text may have several lines.\nTags are optional.",
  parameters: {
    type: "object",
    properties: { text: { type: "string" }, tags: { type: "array", items: { type: "string" } } },
    required: ["text"],
  },
  origin: { server: "notes", tool: "add" },
};
const odd = {
  name: "n__x",
  description: "\u001b[31mred",
  parameters: {},
  origin: { server: "n", tool: "x\u0007" },
};

verifies("mcp-tools:lines", "one line per tool, cut at the width", () => {
  expect(showToolLines([add, odd])).toBe("notes__add  Adds a note\nn__x        \\x1b[31mred\n");
  expect(showToolLines([add, odd], { width: 16 })).toBe("notes__add  Add…\nn__x        \\x1…\n");
  expect(showToolLines([add], { hasColours: true })).toBe("\u001b[1mnotes__add\u001b[22m  Adds a note\n");
});

verifies(
  "mcp-tools:outline",
  "signature, description and example; no line is wider than the terminal, and a shell reads a broken example as one line",
  () => {
    const tools = [{ tool: add, example: "indus mcp call notes__add text=text" }, { tool: odd }];
    expect(showToolOutlines(tools, { schema: false, look: { width: 30 } })).toBe(`add(text: string,
    tags?: string[])
  Adds a note. The text may
  have several lines.
  Tags are optional.
  indus mcp call notes__add \\
        text=text

x\\x07()
  \\x1b[31mred
  no example: choose arguments
  that fit the schema (see
  --schema)
`);
  },
);

verifies("mcp-tools:schema", "the schemas of the server are shown in full", () => {
  const definition = {
    name: "add",
    inputSchema: { $defs: {}, type: "object" },
    outputSchema: { type: "null" },
  };
  const shown = showToolOutlines([{ tool: { ...add, definition } }], { schema: true });
  const { inputSchema, outputSchema } = definition;
  expect(JSON.parse(shown.slice(shown.indexOf("  {")))).toEqual({ inputSchema, outputSchema });
});
