import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { listPages } from "../../../src/mcp/client/list-pages.ts";

const options = { serverName: "s", member: "items", timeoutMs: 1000 };

verifies(
  "mcp-client:resources",
  "a listing ends at a cursor that comes again, and holds objects only",
  async () => {
    const asked: unknown[] = [];
    const items = await listPages(async (params) => {
      asked.push(params);
      return { items: [{ n: asked.length }, null, "no"], nextCursor: "again" };
    }, options);
    expect(items).toEqual([{ n: 1 }, { n: 2 }]);
    expect(asked).toEqual([{}, { cursor: "again" }]);
  },
);

verifies(
  "mcp-client:resources",
  "a listing without a list is a fault, and so is one that takes too long",
  async () => {
    await expect(listPages(async () => ({ items: 5 }), options)).rejects.toMatchObject({ kind: "protocol" });
    let page = 0;
    const endless = listPages(
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        return { items: [], nextCursor: String(page++) };
      },
      { ...options, timeoutMs: 30 },
    );
    await expect(endless).rejects.toMatchObject({ kind: "timeout", message: expect.stringContaining('"s"') });
  },
);
