import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { readPages } from "../../../../src/interop/endpoint/index.ts";

type RequestPage = Parameters<typeof readPages>[0];
type ReadPagesOptions = Parameters<typeof readPages>[1];
type PagesRead = Awaited<ReturnType<typeof readPages>>;

const read = async (
  request: RequestPage,
  options: Partial<ReadPagesOptions> = {},
): Promise<PagesRead & { readonly items: readonly unknown[] }> => {
  const items: unknown[] = [];
  const ended = await readPages(request, {
    server: "s",
    method: "items/list",
    member: "items",
    timeoutMs: 1000,
    onPage: (page) => items.push(...page) < 4,
    ...options,
  });
  return { ...ended, items };
};

verifies(
  "endpoint:listing",
  "cursors are followed to the last page, and an empty cursor is none",
  async () => {
    const asked: unknown[] = [];
    const pages = [
      { items: [1], nextCursor: "b" },
      { items: [2], nextCursor: "" },
    ];
    const ended = await read(async (params) => pages[asked.push(params) - 1]);
    expect(ended).toEqual({ isComplete: true, items: [1, 2] });
    expect(asked).toEqual([{}, { cursor: "b" }]);
  },
);

verifies("endpoint:listing", "a repeated or overlong cursor ends the listing, with the reason", async () => {
  const repeated = await read(async () => ({ items: [1], nextCursor: "again" }));
  expect(repeated).toEqual({
    isComplete: false,
    flaw: "page 2 leads back to an earlier page; the listing ends there",
    items: [1, 1],
  });
  const overlong = await read(async () => ({ items: [], nextCursor: "x".repeat(20_000) }));
  expect(overlong.flaw).toContain("20000 characters");
});

verifies("endpoint:listing", "the reader and a number of pages limit a listing", async () => {
  let page = 0;
  const endless: RequestPage = async () => ({ items: [0, 0], nextCursor: String(page++) });
  expect(await read(endless)).toEqual({ isComplete: false, items: [0, 0, 0, 0] });
  expect(await read(endless, { maxPages: 1 })).toEqual({ isComplete: false, items: [0, 0] });
});

verifies(
  "endpoint:listing",
  "a page without a list and a listing that takes too long are faults",
  async () => {
    await expect(read(async () => ({ items: 5 }))).rejects.toMatchObject({
      kind: "protocol",
      message: 'server "s" answered items/list without a list of items',
    });
    let page = 0;
    const slow: RequestPage = async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return { items: [], nextCursor: String(page++) };
    };
    await expect(read(slow, { timeoutMs: 30 })).rejects.toMatchObject({
      kind: "timeout",
      message: expect.stringContaining('"s"'),
    });
  },
);
