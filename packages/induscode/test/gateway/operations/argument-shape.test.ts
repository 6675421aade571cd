import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { shapeOf } from "../../../src/gateway/index.ts";

verifies("operations:log", "a shape has names, types and sizes", () => {
  expect(
    shapeOf({ path: "/etc/passwd", n: 3, ok: true, no: null, list: [1, 2], deep: { a: { b: { c: 1 } } } }),
  ).toEqual({
    path: "string(11)",
    n: "number",
    ok: "boolean",
    no: "null",
    list: "array(2)",
    deep: { a: { b: "object(1)" } },
  });
  expect(shapeOf("text")).toBe("string(4)");
  expect(shapeOf(undefined)).toBe("undefined");
  const many = shapeOf(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`k${at}`, at])));
  expect(Object.keys(many)).toHaveLength(21);
  expect(many).toMatchObject({ "…": "10 more" });
});

verifies(
  "operations:log",
  "no value is in the shape, whatever the arguments are, and its size is limited",
  () => {
    const secret = "zq9Canary";
    const leaf = fc.oneof(
      fc.constant(secret),
      fc.string().map((text) => text + secret),
      fc.constant([secret]),
      fc.constant(7_777_777),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: "small" },
        leaf,
        fc.dictionary(fc.constantFrom("a", "b", "__proto__"), tie("tree")),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        const text = JSON.stringify(shapeOf(value));
        expect(text).not.toContain(secret);
        expect(text).not.toContain("7777777");
        expect(text.length).toBeLessThan(10_000);
      }),
    );
  },
);
