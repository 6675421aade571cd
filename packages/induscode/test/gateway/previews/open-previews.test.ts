import { verifies } from "@indus/testkit";
import fc from "fast-check";
import {
  answeredOutcome,
  type Caller,
  createTableBox,
  mcpBlock,
  READ_RESULT,
  type ToolBox,
  type ToolResult,
  textResult,
} from "indusagi/runtime";
import { expect } from "vitest";
import { openPreviews, type Previews } from "../../../src/gateway/index.ts";

const boxWith = (result: ToolResult, more: object = {}): ToolBox =>
  createTableBox([
    {
      descriptor: { name: "t", description: "", parameters: {}, ...more },
      run: async ({ id }) => answeredOutcome(id, result),
    },
  ]).box;

const legacy = (key: string): Caller => ({ key, can: {} });
const modern = (key: string): Caller => ({ key, can: { suspend: true } });

const run = (box: ToolBox, name: string, input: object, caller: Caller) =>
  box.runner.run({ id: "1", name, input }, undefined, caller);

/** The link in a preview. */
const linkIn = (result: ToolResult): { readonly uri: string; readonly size: number } | undefined => {
  const block = result.content.at(-1);
  return block?.kind === "json" && (block.value as { readonly type?: unknown }).type === "resource_link"
    ? (block.value as { readonly uri: string; readonly size: number })
    : undefined;
};

const contents = async (
  previews: Previews,
  uri: string,
  caller: Caller,
): Promise<readonly unknown[] | undefined> => {
  const resources = { list: () => ({}), read: () => ({ contents: ["other"] }) };
  const source = previews.withResults({ resources });
  const provider = typeof source === "function" ? undefined : source.resources;
  const found = await provider?.read(uri, { caller, signal: new AbortController().signal });
  return found?.["contents"] as readonly unknown[] | undefined;
};

verifies("previews:whole", "the windows of a result, and its resource, are exactly its text", async () => {
  const previews = await openPreviews({ overBytes: 1_000, serves: "http" });
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1_000, max: 30_000 }),
      fc.integer({ min: 7, max: 5_000 }),
      async (piece, length, limit) => {
        const text = piece.repeat(Math.ceil(length / piece.length));
        const box = previews.withReader(previews.shorten(boxWith(textResult(text))));
        const caller = legacy("session_1");
        const { result } = await run(box, "t", {}, caller);
        const link = linkIn(result);
        expect(link?.size).toBeGreaterThan(1_000);
        expect(JSON.stringify(result.content).length).toBeLessThan(3_000);
        const id = link?.uri.slice("indus://artifact/".length);
        let read = "";
        for (let rounds = 0; rounds < 5_000; rounds += 1) {
          const { output } = await run(box, READ_RESULT, { id, offset: read.length, limit }, caller);
          const [heading = "", ...rest] = String(output).split("\n");
          read += rest.join("\n");
          if (!heading.includes("read on")) break;
        }
        expect(read).toBe(text);
        expect(await contents(previews, link?.uri ?? "", caller)).toEqual([
          { uri: link?.uri, mimeType: "text/plain", text },
        ]);
      },
    ),
    { numRuns: 20 },
  );
});

verifies(
  "previews:whole",
  "only the principal, else the session, else the holder of the id reads a result",
  async () => {
    const previews = await openPreviews({ overBytes: 1_000, serves: "http" });
    const box = previews.withReader(previews.shorten(boxWith(textResult("needle\n".repeat(1_000)))));
    const alice = { ...modern("a"), principal: "alice#1" };
    const readers: { readonly [name: string]: Caller } = {
      alice,
      "alice in a session": { ...legacy("session_9"), principal: "alice#1" },
      bob: { ...modern("b"), principal: "bob#2" },
      session: legacy("session_1"),
      "another session": legacy("session_2"),
      nobody: modern("listener_request_1"),
      "nobody again": modern("listener_request_2"),
    };
    const whoReads = async (caller: Caller): Promise<string[]> => {
      const uri = linkIn((await run(box, "t", {}, caller)).result)?.uri ?? "";
      const id = uri.slice("indus://artifact/".length);
      const found = await Promise.all(
        Object.entries(readers).map(async ([name, reader]) => {
          const { isError, output } = await run(box, READ_RESULT, { id, search: "NEEDLE" }, reader);
          const whole = await contents(previews, uri, reader);
          expect(whole !== undefined).toBe(!isError);
          if (!isError) expect(output).toContain("[1000 lines contain");
          return isError ? [] : [name];
        }),
      );
      return found.flat();
    };
    expect(await whoReads(alice)).toEqual(["alice", "alice in a session"]);
    expect(await whoReads(legacy("session_1"))).toEqual(["session"]);
    expect(await whoReads(modern("listener_request_7"))).toEqual(["nobody", "nobody again"]);
    expect(await contents(previews, "test://other", alice)).toEqual(["other"]);
    expect(await contents(previews, "indus://artifact/none", alice)).toBeUndefined();
  },
);

verifies(
  "previews:shorten",
  "what is small, promised in a form, failed or too large to keep stays as it is",
  async () => {
    const previews = await openPreviews({
      overBytes: 1_000,
      serves: "stdio",
      limits: { count: 9, bytes: 50_000, keptMs: 60_000 },
    });
    const long = textResult("x".repeat(2_000));
    const same = async (result: ToolResult, more = {}): Promise<boolean> => {
      const box = boxWith(result, more);
      const outcome = await run(previews.shorten(box), "t", {}, legacy("c"));
      return outcome.result === result;
    };
    expect(await same(textResult("x".repeat(900)))).toBe(true);
    expect(await same(long)).toBe(false);
    expect(await same(long, { outputSchema: { type: "object" } })).toBe(true);
    expect(await same(long, { definition: { name: "t", outputSchema: {} } })).toBe(true);
    expect(await same(textResult("x".repeat(60_000)))).toBe(true);
    expect(await same({ ...long, isError: true })).toBe(false);
    const { result } = await run(
      previews.shorten(
        boxWith({
          content: [
            { kind: "text", text: "short" },
            mcpBlock({ type: "image", data: "A".repeat(400), mimeType: "image/png" }),
            mcpBlock({ type: "image", data: "B".repeat(4_000), mimeType: "image/png" }),
          ],
          structured: { a: "C".repeat(500) },
          meta: { k: 1 },
          isError: true,
        }),
      ),
      "t",
      {},
      legacy("c"),
    );
    expect(result).toMatchObject({ isError: true, meta: { k: 1 } });
    expect(result.structured).toBeUndefined();
    const text = JSON.stringify(result.content);
    expect(text).toContain("short");
    expect(text).toContain("A".repeat(400));
    expect(text).not.toContain("BBBB");
    expect(text).toContain("a block of 4");
    const uri = linkIn(result)?.uri ?? "";
    expect(await contents(previews, uri, legacy("c"))).toEqual([
      { uri, mimeType: "text/plain", text: "short" },
      { uri, mimeType: "image/png", blob: "A".repeat(400) },
      { uri, mimeType: "image/png", blob: "B".repeat(4_000) },
      { uri, mimeType: "application/json", text: JSON.stringify({ a: "C".repeat(500) }) },
    ]);
  },
);
