import { defineTool, makeLocalContext, ToolRegistry, type ToolSpec } from "indusagi/capabilities";
import { failureResult, mcpBlock, type ToolBox, type ToolResult, textResult } from "indusagi/runtime";

const none = { type: "object", properties: {} };

/** One red pixel. */
export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/** Every block kind there is. */
const KINDS: ToolResult = {
  content: [
    { kind: "text", text: "words" },
    { kind: "json", value: { n: 1 } },
    mcpBlock({ type: "image", data: PIXEL, mimeType: "image/png" }),
    mcpBlock({ type: "audio", data: "AAAA", mimeType: "audio/wav" }),
    mcpBlock({ type: "resource", resource: { uri: "test://a", text: "inside" } }),
    mcpBlock({
      type: "resource",
      resource: { uri: "test://b", blob: "JVBERg==", mimeType: "application/pdf" },
    }),
    mcpBlock({ type: "resource_link", uri: "test://c", name: "c", description: "a link" }),
    mcpBlock({ type: "hologram", data: "new" }),
  ],
};

const SPECS: readonly ToolSpec[] = [
  {
    name: "math__add",
    title: "Add",
    description: "Adds two numbers.",
    parameters: {
      type: "object",
      properties: {
        a: { type: "integer" },
        b: { type: ["integer", "null"] },
        how: { enum: ["fast", "slow"] },
      },
      required: ["a", "b"],
    },
    run: (input) => {
      const { a, b } = input as { a: number; b: number };
      return textResult(String(a + b));
    },
  },
  { name: "shapes", description: "Every block kind.", parameters: none, run: () => KINDS },
  { name: "9.odd name", description: "A name nobody takes.", parameters: none, run: () => textResult("odd") },
  { name: "fails", description: "Fails.", parameters: none, run: () => failureResult("no such file: a.txt") },
  { name: "silent", description: "Says nothing.", parameters: none, run: () => ({ content: [] }) },
  {
    name: "data",
    description: "Only data.",
    parameters: none,
    run: () => ({ content: [], structured: { n: 7 } }),
  },
  { name: "long", description: "Says a lot.", parameters: none, run: () => textResult("x".repeat(200_000)) },
  {
    name: "waits",
    description: "Waits for its end.",
    parameters: none,
    run: (_input, { signal }) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve(textResult("late")))),
  },
];

export interface SampleBox {
  readonly registry: ToolRegistry;
  readonly box: ToolBox;
}

/** A real box with tools of every temper. */
export function sampleBox(): SampleBox {
  const registry = new ToolRegistry().registerAll(SPECS.map(defineTool));
  const session = makeLocalContext(process.cwd());
  return { registry, box: registry.toToolBox(() => session) };
}

/** One tool more, to see a change. */
export const oneMore = defineTool({
  name: "later",
  description: "Came later.",
  parameters: none,
  run: () => textResult("here"),
});
