import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { MessageScanner } from "../../../../src/interop/wire/index.ts";

function scan(bytes: Buffer, sizes: readonly number[]): { id: unknown; isAnswer: boolean } {
  const scanner = new MessageScanner();
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const end = at + (sizes[turn % sizes.length] ?? 1);
    scanner.push(bytes.subarray(at, end));
    at = end;
  }
  const { id, isAnswer } = scanner;
  return { id, isAnswer };
}

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.constantFrom("id", '"id":7,', "\\", '\\"', "}", '{"id":8}', "result"),
);
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, 1.5e-3, -2),
    text,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom("id", "result", "error")), tie("value"), { maxKeys: 3 }),
  ),
})).value;
const member = fc.oneof(
  fc.tuple(
    fc.constant("id"),
    fc.oneof(
      fc.integer(),
      fc.string({ maxLength: 20 }),
      fc.constant(null),
      fc.constant({ id: 1 }),
      fc.constant([2]),
    ),
  ),
  fc.tuple(fc.constantFrom("jsonrpc", "method", "params", "result", "error", "Id", "ID"), value),
  fc.tuple(fc.oneof(text, fc.constant("k".repeat(200))), value),
);
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
const spaces = fc.constantFrom(undefined, 1, "\t");

verifies(
  "stdio:oversized",
  "the id and the kind of a message are found wherever they stand, as a parser finds them, in any slicing",
  () => {
    fc.assert(
      fc.property(fc.array(member, { maxLength: 6 }), sizes, spaces, (members, slices, indent) => {
        const parts = members.map(
          ([name, content]) => `${JSON.stringify(name)} :${JSON.stringify(content, null, indent)}`,
        );
        const bytes = Buffer.from(`{${parts.join(" ,")} }`);
        const message = JSON.parse(bytes.toString("utf8")) as { readonly [name: string]: unknown };
        const { id } = message;
        expect(scan(bytes, slices)).toEqual({
          id: typeof id === "number" || typeof id === "string" ? id : undefined,
          isAnswer: Object.hasOwn(message, "result") || Object.hasOwn(message, "error"),
        });
      }),
      { numRuns: 1000 },
    );
  },
);

verifies("stdio:oversized", "an escaped key counts, and an id of endless length does not", () => {
  expect(scan(Buffer.from('{"\\u0069d":5}'), [3]).id).toBe(5);
  expect(scan(Buffer.from(`{"id":"${"x".repeat(10_000)}"}`), [100]).id).toBeUndefined();
});

verifies("stdio:oversized", "bytes that are not JSON are read to their end", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), sizes, (bytes, slices) => {
      scan(Buffer.from(bytes), slices);
    }),
  );
});
