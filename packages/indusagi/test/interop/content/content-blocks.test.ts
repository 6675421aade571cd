import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { createProviderHost, mountProtocolBridge } from "indusagi/interop";
import type { ToolContentBlock } from "indusagi/llm";
import { answeredOutcome, type ToolBox } from "indusagi/runtime";
import { expect } from "vitest";
import { BLOCKS } from "../../../../../test/servers/server.mjs";
import { fromMcpContent, jsonText, toMcpContent } from "../../../src/interop/content/index.ts";
import { hostPair } from "../host/host-pair.ts";
import { scripted } from "../kit/scripted.ts";

const BLOCK = fc.oneof(
  fc.record({ type: fc.constant("text"), text: fc.string() }),
  fc.record({ type: fc.constantFrom("text", "image", "new_kind"), text: fc.anything(), more: fc.anything() }),
  fc.record({ type: fc.string(), _meta: fc.object() }),
);

const OUR_BLOCK: fc.Arbitrary<ToolContentBlock> = fc.oneof(
  fc.record({ kind: fc.constant("text" as const), text: fc.string() }),
  fc.record({ kind: fc.constant("json" as const), value: fc.anything() }),
  fc.record({ kind: fc.constant("json" as const), value: BLOCK, mcp: fc.constant(true as const) }),
);

verifies("content:round-trip", "each MCP block converted to ours and back is the same block", () => {
  fc.assert(
    fc.property(fc.array(BLOCK), (blocks) => {
      expect(toMcpContent(fromMcpContent(blocks))).toEqual(blocks);
    }),
  );
});

verifies("content:round-trip", "content that was sent, received and sent again is the same", () => {
  fc.assert(
    fc.property(fc.array(OUR_BLOCK), (blocks) => {
      const sent = toMcpContent(blocks);
      expect(toMcpContent(fromMcpContent(sent))).toEqual(sent);
    }),
  );
});

verifies(
  "content:round-trip",
  "values without a type are data, and content that is not an array is empty",
  () => {
    const junk = [null, 1, "text", { text: "no type at all" }, { type: 7 }, [{ type: "text" }]];
    expect(fromMcpContent(junk)).toEqual(junk.map((value) => ({ kind: "json", value })));
    const textless = { type: "text", text: 7 };
    expect(fromMcpContent([textless])).toEqual([{ kind: "json", value: textless, mcp: true }]);
    for (const content of [undefined, null, "text", { 0: "a" }]) expect(fromMcpContent(content)).toEqual([]);
  },
);

verifies(
  "content:data",
  "json that only looks like a block goes out as text, and so does a value that JSON cannot hold",
  () => {
    const out = (value: unknown): unknown => toMcpContent([{ kind: "json", value }])[0]?.["text"];
    expect(out({ type: "image", data: "AA==" })).toBe('{"type":"image","data":"AA=="}');
    expect(out(undefined)).toBe("null");
    expect(out(1n)).toBe("[value cannot be written as JSON]");
    expect(jsonText({ a: [1] })).toBe('{"a":[1]}');
  },
);

/** The same tools in a box without wire results, such as the deck's. */
function withoutWire(box: ToolBox): ToolBox {
  const run: ToolBox["runner"]["run"] = async (call, signal, caller) =>
    answeredOutcome(call.id, (await box.runner.run(call, signal, caller)).result);
  return {
    descriptors: () => box.descriptors(),
    onChange: (listener) => box.onChange(listener),
    runner: { run },
  };
}

for (const era of ["legacy", "modern"] as const) {
  verifies(
    "content:text-members",
    `${era}: a client of the host receives the text block as the server sent it`,
    async () => {
      const { box, fleet } = await mountProtocolBridge({ servers: [scripted("s")] });
      try {
        await using pair = await hostPair(era, box, { host: createProviderHost(withoutWire(box)) });
        const { content } = await pair.endpoint.invoke("s__blocks", {});
        expect(content.slice(0, 8)).toEqual(BLOCKS.content.slice(0, 8));
      } finally {
        await fleet.tearDown();
      }
    },
  );
}
