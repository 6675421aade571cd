import { verifies } from "@indus/testkit";
import { defineTool } from "indusagi/capabilities";
import { textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { calls } from "./scripted-model.ts";
import { tryAgent } from "./try-agent.ts";

verifies(
  "house:last-word",
  "a tool of ours with a definition gets its arguments coerced by its own schema",
  async () => {
    const got: unknown[] = [];
    const tool = defineTool({
      name: "t",
      description: "",
      parameters: { type: "object", properties: { n: { type: "integer" } } },
      run: (input) => {
        got.push(input);
        return textResult("ok");
      },
    });
    const descriptor = { ...tool.descriptor(), definition: { name: "t", inputSchema: { type: "object" } } };
    const { turn } = tryAgent(
      [calls(["t", { n: "5" }])],
      [{ descriptor, run: (call) => tool.invoke(call, { call } as never) }],
    );
    await turn();
    expect(got).toEqual([{ n: 5 }]);
  },
);
