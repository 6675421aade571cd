import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { readAnswer } from "../../../../src/interop/wire/frames/read-answer.ts";

interface Parsed {
  readonly [member: string]: unknown;
}

const blocks = fc.array(
  fc.oneof(
    fc.record({ type: fc.constantFrom("text", "image", "resource"), text: fc.string({ unit: "binary" }) }),
    fc.record({ _meta: fc.jsonValue(), type: fc.constant("text") }, { requiredKeys: [] }),
    fc.jsonValue(),
  ),
  { maxLength: 4 },
);
const results = fc.record(
  {
    content: fc.oneof(blocks, fc.jsonValue()),
    isError: fc.oneof(fc.boolean(), fc.jsonValue()),
    structuredContent: fc.jsonValue(),
    _meta: fc.jsonValue(),
    other: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const messages = fc.record({ jsonrpc: fc.constant("2.0"), id: fc.nat(), result: results });
const damages = fc.record({ place: fc.nat(), byte: fc.nat(255), kind: fc.nat(2) });
const indents = fc.constantFrom(undefined, 1, "\t");

/** Spaces, but no line ends: a message is one line. */
function written(message: unknown, indent: number | string | undefined): Buffer {
  return Buffer.from(JSON.stringify(message, undefined, indent).replaceAll("\n", " "));
}

verifies(
  "endpoint:bytes",
  "of any answer, the bytes of the result and its outline are those a parser finds",
  () => {
    fc.assert(
      fc.property(messages, indents, (message, indent) => {
        const found = readAnswer(written(message, indent));
        const result = JSON.parse(JSON.stringify(message.result)) as Parsed;
        // The type of a block is known only if it is a plain text.
        const { content } = result;
        const asked = Array.isArray(content) ? content.filter(isObject) : [];
        const isOdd = asked.some(
          (block) => Object.hasOwn(block, "type") && !/^[^\\"\p{Cc}]{0,64}$/u.test(String(block["type"])),
        );
        if (isOdd || asked.some(({ type }) => type !== undefined && typeof type !== "string")) return;
        if (!found) {
          expect(hasOddName(result)).toBe(true);
          return;
        }
        expect(found.id).toBe(message.id);
        expect(JSON.parse(found.result.toString())).toEqual(result);
        expect(found.isError).toBe(result["isError"] === true);
        expect(found.outline.members).toEqual(new Set(Object.keys(result)));
        expect(found.outline.blockMembers).toEqual(new Set(asked.flatMap((block) => Object.keys(block))));
        expect(found.outline.blockTypes).toEqual(new Set(asked.map((block) => block["type"] ?? "")));
      }),
    );
  },
);

verifies("endpoint:bytes", "what is accepted is JSON, for any damage to any answer", () => {
  fc.assert(
    fc.property(messages, indents, damages, (message, indent, { place, byte, kind }) => {
      const bytes = written(message, indent);
      const at = place % bytes.length;
      const damaged = [
        Buffer.concat([bytes.subarray(0, at), Buffer.from([byte]), bytes.subarray(at + 1)]),
        Buffer.concat([bytes.subarray(0, at), Buffer.from([byte]), bytes.subarray(at)]),
        Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]),
      ][kind] as Buffer;
      const found = readAnswer(damaged);
      if (!found) return;
      const text = damaged.toString("utf8");
      expect(Buffer.from(text)).toEqual(damaged); // Valid UTF-8.
      const parsed = JSON.parse(text) as Parsed;
      expect(parsed["id"]).toBe(found.id);
      expect(JSON.parse(found.result.toString())).toEqual(parsed["result"]);
      expect(found.result.includes(0x0d) || found.result.includes(0x0a)).toBe(false);
    }),
    { numRuns: 500 },
  );
});

verifies("endpoint:bytes", "whatever is not a plain answer is left to the parser", () => {
  const odd = [
    '{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required"}}',
    '{"jsonrpc":"2.0","id":1,"result":{"resultType":"task","taskId":"t"}}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}',
    '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"no"}}',
    '{"jsonrpc":"2.0","id":1,"method":"x","result":{}}',
    '{"jsonrpc":"2.0","id":"1","result":{}}',
    '{"jsonrpc":"2.0","id":-1,"result":{}}',
    '{"jsonrpc":"2.0","result":{}}',
    '{"jsonrpc":"1.0","id":1,"result":{}}',
    '{"id":1,"result":{}}',
    '{"jsonrpc":"2.0","id":1,"result":[]}',
    '{"jsonrpc":"2.0","id":1,"result":{}} x',
    '{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}',
    '{"jsonrpc":"2.0","id":1,"id":2,"result":{}}',
    '{"jsonrpc":"2.0","id":1,"result":{"\\u005fmeta":{}}}',
    '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"te\\u0078t"}]}}',
    '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","type":"resource"}]}}',
    '{"jsonrpc":"2.0","id":1,"result":{"a":\r1}}',
    '{"jsonrpc":"2.0","id":1,"result":{"a":01}}',
    '{"jsonrpc":"2.0","id":1,"result":{"a":"\\x"}}',
    '{"jsonrpc":"2.0","id":1,"result":{"a":"\t"}}',
    '{"jsonrpc":"2.0","id":1,"result":{"a":"',
    `{"jsonrpc":"2.0","id":1,"result":{"a":${"[".repeat(300)}${"]".repeat(300)}}}`,
    "[]",
    "",
  ];
  for (const text of odd) expect([text, readAnswer(Buffer.from(text))]).toEqual([text, undefined]);
  const damaged = Buffer.from('{"jsonrpc":"2.0","id":1,"result":{"a":"x"}}');
  damaged[damaged.indexOf("x")] = 0xff;
  expect(readAnswer(damaged)).toBeUndefined();
  const complete = '{"result":{"resultType":"complete","content":[]},"id":7,"jsonrpc":"2.0"} \r';
  expect(readAnswer(Buffer.from(complete))).toMatchObject({ id: 7, isError: false });
});

function isObject(value: unknown): value is Parsed {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A name that is written with an escape, or is very long. */
function hasOddName(result: Parsed): boolean {
  const { content } = result;
  const inBlocks = Array.isArray(content)
    ? content.filter(isObject).flatMap((block) => Object.keys(block))
    : [];
  return [...Object.keys(result), ...inBlocks].some(
    (name) => JSON.stringify(name) !== `"${name}"` || Buffer.byteLength(name) > 64,
  );
}
