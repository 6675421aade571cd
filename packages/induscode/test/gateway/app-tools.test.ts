import { verifies } from "@indus/testkit";
import type { ToolDescriptor } from "indusagi/llm";
import { answeredOutcome, createTableBox, type TableTool, type ToolBox, textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { acceptBareAppNames } from "../../src/gateway/bare-app-names.ts";
import { offeredBox } from "../../src/gateway/index.ts";

const PAGE = "ui://page/index.html";
const entry = (server: string, tool: string, ui?: object): TableTool => ({
  descriptor: {
    name: `${server}__${tool}`,
    description: `${tool} the chart`,
    parameters: { type: "object" },
    origin: { server, tool },
    definition: { name: tool, inputSchema: { type: "object" }, ...(ui && { _meta: { ui } }) },
  } as ToolDescriptor,
  run: async ({ id, name }) => answeredOutcome(id, textResult(`ran ${name}`)),
});
const run = async (box: ToolBox, name: string): Promise<string> =>
  String((await box.runner.run({ id: "1", name, input: {} })).output);

const BOTH = ["model", "app"];
const tools = [
  entry("a", "show", { resourceUri: PAGE, visibility: BOTH }),
  entry("a", "zoom", { resourceUri: PAGE, visibility: ["app"] }),
  entry("a", "quiet"), // By default apps may call it, but its definition does not say so.
  entry("b", "zoom", { visibility: ["app"] }), // A server without a page.
  entry("c", "pan", { resourceUri: PAGE, visibility: ["app"] }),
  entry("d", "pan", { resourceUri: PAGE, visibility: ["app"] }),
  entry("a", "read", { resourceUri: PAGE, visibility: BOTH }),
];

verifies(
  "apps:bare-names",
  "a bare name is the tool of the one server with a page that names apps",
  async () => {
    const { box } = createTableBox(tools);
    const accepting = acceptBareAppNames(box, (name) => name === "read");
    expect(await run(accepting, "zoom")).toBe("ran a__zoom");
    expect(await run(accepting, "show")).toBe("ran a__show");
    expect(await run(accepting, "pan")).toMatch(/several servers.*c__pan, d__pan/);
    for (const name of ["quiet", "read", "other"])
      expect(await run(accepting, name)).toMatch(/unknown tool|no tool/i);
    expect(await run(accepting, "a__quiet")).toBe("ran a__quiet");
  },
);

verifies(
  "apps:app-only",
  "a search does not find tools that only apps may call, but they are listed",
  async () => {
    const many = Array.from({ length: 30 }, (_, at) => entry("e", `chart_${at}`));
    const { box } = createTableBox([...tools, ...many]);
    const offered = offeredBox(box, { mode: "search", finish: (each) => each });
    if (typeof offered === "function") throw new Error("a box per client");
    const listed = offered.descriptors().map(({ name }) => name);
    expect(listed).toEqual(expect.arrayContaining(["a__zoom", "b__zoom", "c__pan", "d__pan", "tool_search"]));
    expect(listed).not.toContain("e__chart_1");
    const found = await offered.runner.run({ id: "1", name: "tool_search", input: { query: "zoom" } });
    expect(found.output).not.toContain("zoom(");
    expect(
      String((await offered.runner.run({ id: "2", name: "tool_search", input: { query: "show" } })).output),
    ).toContain("a__show");
  },
);
