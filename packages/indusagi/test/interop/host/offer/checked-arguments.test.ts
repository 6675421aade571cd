import { verifies } from "@indus/testkit";
import { defineTool, makeLocalContext, ToolRegistry } from "indusagi/capabilities";
import { mountProtocolBridge, type ProtocolEra } from "indusagi/interop";
import { type ToolBox, textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { inProcess } from "../../kit/scripted.ts";
import { boxOf } from "../box-of.ts";
import { hostPair } from "../host-pair.ts";

const SCHEMA = {
  type: "object",
  properties: {
    count: { type: "integer", minimum: 1, multipleOf: 2 },
    mode: { enum: ["soft", "hard"] },
    tags: { type: "array", items: { type: "string" } },
    who: { oneOf: [{ type: "string" }, { type: "object", required: ["name"] }] },
  },
  required: ["count"],
  additionalProperties: false,
} as const;

/** Arguments that do not fit, and the field that the answer must name. */
const MISFITS: readonly (readonly [unknown, string])[] = [
  [{}, "count"],
  [{ count: "many" }, "count"],
  [{ count: 0 }, "count"],
  [{ count: 3 }, "count"],
  [{ count: 2, mode: "loud" }, "mode"],
  [{ count: 2, tags: ["a", 1] }, "tags"],
  [{ count: 2, who: 7 }, "who"],
  [{ count: 2, more: true }, "more"],
  [JSON.parse('{"count":2,"__proto__":{}}'), "__proto__"],
];

const seen: unknown[] = [];

/** A tool made with `defineTool`, and one of another kind of box. */
function boxes(): { readonly [name: string]: ToolBox } {
  const defined = defineTool({
    name: "own",
    description: "Records its arguments.",
    parameters: SCHEMA,
    run: (input) => {
      seen.push(input);
      return textResult("ran");
    },
  });
  const foreign = boxOf({
    own: ({ input }) => {
      seen.push(input);
      return textResult("ran");
    },
  });
  const described = foreign.descriptors().map((tool) => ({ ...tool, parameters: SCHEMA }));
  return {
    "a tool of defineTool": new ToolRegistry()
      .register(defined)
      .toToolBox(() => makeLocalContext(process.cwd())),
    "a tool of a box of another kind": { ...foreign, descriptors: () => described },
  };
}

for (const era of ["legacy", "modern"] as const satisfies readonly ProtocolEra[])
  for (const [name, box] of Object.entries(boxes())) {
    verifies("host:arguments", `${era}: ${name} runs only with arguments that fit its schema`, async () => {
      await using pair = await hostPair(era, box);
      for (const [args, field] of MISFITS) {
        seen.length = 0;
        const { content, isError } = await pair.endpoint.invoke("own", args);
        expect({ isError, seen: [...seen] }).toEqual({ isError: true, seen: [] });
        const { text } = content[0] as { readonly text: string };
        expect(text).toMatch(/^own: arguments do not fit: /);
        expect(text).toContain(field);
      }
      const fitting = { count: 2, mode: "soft", tags: ["a"], who: { name: null } };
      expect((await pair.endpoint.invoke("own", fitting)).isError).toBe(false);
      expect(seen.at(-1)).toEqual(fitting);
    });
  }

verifies("host:arguments", "what a tool of ours repairs by itself is not refused", async () => {
  const box = boxes()["a tool of defineTool"] as ToolBox;
  await using pair = await hostPair("modern", box);
  const { isError } = await pair.endpoint.invoke("own", { count: "2", tags: '["a"]', mode: null });
  expect({ isError, input: seen.at(-1) }).toEqual({ isError: false, input: { count: 2, tags: ["a"] } });
});

verifies(
  "host:arguments",
  "arguments of a mounted tool reach its server unchecked and unchanged",
  async () => {
    const row = { kind: "stdio", id: "up", command: "unused" } as const;
    const { box, fleet } = await mountProtocolBridge({ servers: [row] }, { transport: () => inProcess() });
    try {
      await using pair = await hostPair("modern", box);
      const args: unknown = JSON.parse('{"text":5,"limit":"5","none":null,"__proto__":{}}'); // `text` must be a string.
      const { content } = await pair.endpoint.invoke("up__args", args);
      expect(content).toEqual([{ type: "text", text: JSON.stringify(args) }]);
    } finally {
      await fleet.tearDown();
    }
  },
);
