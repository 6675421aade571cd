import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { idAsSent, withIdsAsSent } from "../../../src/interop/wire/index.ts";

verifies("endpoint:text-ids", "only the exact decimal text of a number counts as the number", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 40 }), (id) => {
      expect(idAsSent(String(id))).toBe(id);
      expect(idAsSent(id)).toBe(id);
    }),
  );
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.double().map(String), fc.constantFrom("07", "7.0", " 7", "1e3")),
      (text) => {
        const id = idAsSent(text);
        expect(String(id)).toBe(text);
        if (typeof id === "number") expect(Number.isSafeInteger(id) && id >= 0).toBe(true);
      },
    ),
  );
});

verifies(
  "endpoint:text-ids",
  "the ids of the server's own requests and notifications stay as they are",
  () => {
    const others = [
      { jsonrpc: "2.0", id: "7", method: "roots/list" },
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "7" } },
      { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "a" } },
      { jsonrpc: "2.0", method: "notifications/progress" },
      { jsonrpc: "2.0", id: "listen:7", result: {} },
      { jsonrpc: "2.0", id: 7, result: {} },
    ] as const;
    for (const message of others) expect(withIdsAsSent(message)).toBe(message);
  },
);
