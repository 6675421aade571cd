import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { parseRequest, readLinkLines } from "../../../src/front/link/rpc-message.ts";

verifies(
  "link:bad-lines",
  "what is not a request is an error with the code of JSON-RPC, and its id where it has one",
  () => {
    const code = (line: string): unknown => {
      const parsed = parseRequest(line);
      return "error" in parsed ? [parsed.error.code, parsed.id] : parsed;
    };
    expect(code("nonsense")).toEqual([-32700, null]);
    expect(code("[]")).toEqual([-32600, null]);
    expect(code("7")).toEqual([-32600, null]);
    expect(code('{"jsonrpc":"2.0","id":3}')).toEqual([-32600, 3]);
    expect(code('{"jsonrpc":"1.0","id":"a","method":"x"}')).toEqual([-32600, "a"]);
    expect(code('{"jsonrpc":"2.0","id":{},"method":"x"}')).toEqual([-32600, null]);
    expect(code('{"jsonrpc":"2.0","id":1,"method":"x","params":[1]}')).toEqual([-32600, 1]);
    expect(code('{"jsonrpc":"2.0","id":1,"method":"x"}')).toEqual({ id: 1, method: "x", params: {} });
  },
);

verifies("link:bad-lines", "a parser of lines never throws", () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (line) => void parseRequest(line)));
});

verifies(
  "link:lines",
  "lines arrive whole however they are cut; a line that is too long is an error in its place, and the others are read",
  async () => {
    const text = 'one\r\n\n{"é":"日"}\nlast';
    const bytes = Buffer.from(text);
    for (const size of [1, 2, 7, 100]) {
      const lines: unknown[] = [];
      for await (const line of readLinkLines(piecesOf(bytes, size))) lines.push(line);
      expect(lines).toEqual(["one", '{"é":"日"}', "last"]);
    }
    const long = fc.integer({ min: 51, max: 200 }).map((size) => "x".repeat(size));
    const short = fc.stringMatching(/^[a-z]{1,50}$/);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(short, long), { maxLength: 8 }),
        fc.integer({ min: 1, max: 120 }),
        fc.boolean(),
        async (sent, size, isEnded) => {
          const input = piecesOf(Buffer.from(sent.join("\n") + (isEnded ? "\n" : "")), size);
          const read: string[] = [];
          for await (const line of readLinkLines(input, 50))
            read.push(typeof line === "string" ? line : line.message);
          const refused = "the line is longer than 50 bytes, and was not read";
          expect(read).toEqual(sent.map((line) => (line.length > 50 ? refused : line)));
        },
      ),
    );
  },
);

async function* piecesOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
