import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import type { Observed } from "../../fleet/compare/observation.ts";
import { compare, firstDifference } from "../../fleet/compare/verdict.ts";

function seen(description: string, answer: unknown = "42"): Observed {
  const tools = [{ name: "add", description, inputSchema: { type: "object" } }];
  return { tools, readyMs: 1, answer: { result: answer } };
}

verifies("fleet-run:verdict", "the same JSON is equal, to either of the two direct runs", () => {
  const direct = [seen("a", 1), seen("b", 2)] as const;
  expect(compare({ direct, ours: seen("a", 2) })).toEqual({
    definitions: { kind: "equal" },
    call: { kind: "equal" },
  });
});

verifies("fleet-run:verdict", "a difference counts as ours only if the two direct runs agree", () => {
  expect(compare({ direct: [seen("a", 1), seen("b", 2)], ours: seen("c", 3) })).toEqual({
    definitions: { kind: "unsteady" },
    call: { kind: "unsteady" },
  });
  expect(compare({ direct: [seen("a", 1), seen("a", 1)], ours: seen("c", 3) })).toEqual({
    definitions: { kind: "different", why: '[0].description: "a" became "c"' },
    call: { kind: "different", why: ".result: 1 became 3" },
  });
});

verifies("fleet-run:verdict", "only the repairs that every list needs count as such", () => {
  const tool = { name: "add", inputSchema: { properties: {} }, outputSchema: { $id: "a", type: "object" } };
  const sent: Observed = { tools: [tool], readyMs: 1 };
  const served = (input: object, output: object): Observed => ({
    tools: [{ name: "add", inputSchema: input, outputSchema: output }],
    readyMs: 1,
  });
  const kindOf = (ours: Observed): string => compare({ direct: [sent, sent], ours }).definitions.kind;
  expect(kindOf(served({ properties: {}, type: "object" }, { type: "object" }))).toBe("repaired");
  expect(kindOf(served({ type: "object" }, { type: "object" }))).toBe("different");
  expect(kindOf(served({ properties: {}, type: "object" }, { type: "object", title: "a" }))).toBe(
    "different",
  );
});

verifies("fleet-run:verdict", "missing and additional tools are named", () => {
  const none: Observed = { tools: [], readyMs: 1 };
  expect(compare({ direct: [seen("a"), seen("a")], ours: none }).definitions).toEqual({
    kind: "different",
    why: "missing: add",
  });
  expect(compare({ direct: [none, none], ours: seen("a") }).definitions).toEqual({
    kind: "different",
    why: "not listed directly: add",
  });
});

verifies(
  "fleet-run:verdict",
  "a server that fails only here is different; one that fails directly is not judged",
  () => {
    const failed: Observed = { failure: "exited" };
    const { definitions, call } = compare({ direct: [seen("a"), seen("a")], ours: failed });
    expect([definitions, call]).toEqual([
      { kind: "different", why: "exited" },
      { kind: "different", why: "exited" },
    ]);
    expect(compare({ direct: [failed, seen("a")], ours: failed }).definitions).toEqual({ kind: "none" });
  },
);

verifies("fleet-run:verdict", "what an era adds to a result is no difference", () => {
  const withResult = (result: object): Observed => ({ tools: [], readyMs: 1, answer: { result } });
  const serverInfo = { "io.modelcontextprotocol/serverInfo": { name: "a" } };
  const legacy = withResult({ content: [] });
  const modern = withResult({ content: [], resultType: "complete", _meta: serverInfo });
  expect(compare({ direct: [legacy, legacy], ours: modern }).call).toEqual({ kind: "equal" });
  const more = withResult({ content: [], resultType: "complete", _meta: { ...serverInfo, other: 1 } });
  expect(compare({ direct: [legacy, legacy], ours: more }).call.kind).toBe("different");
});

verifies("fleet-run:verdict", "another order of members is a difference, and is called that", () => {
  expect(firstDifference({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(
    "the value: the same members in another order",
  );
});

verifies("fleet-run:verdict", "two values are equal exactly when their JSON is", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (theirs, ours) => {
      const direct = [seen("a", theirs), seen("a", theirs)] as const;
      const { kind } = compare({ direct, ours: seen("a", ours) }).call;
      expect(kind).toBe(JSON.stringify(theirs) === JSON.stringify(ours) ? "equal" : "different");
    }),
  );
});
