import { verifies } from "@indus/testkit";
import { classifyInboundRequest, isJSONRPCRequest } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { expect } from "vitest";
import { isPlainLegacyRequest } from "../../../../src/interop/host/admit/read-message.ts";

const VERSION = "io.modelcontextprotocol/protocolVersion";
const id = fc.oneof(fc.integer(), fc.string(), fc.double(), fc.constantFrom(null, undefined, true, 2 ** 60));
const meta = fc.oneof(
  fc.constantFrom(undefined, null, 1, [], {}, { [VERSION]: "2026-07-28" }, { [VERSION]: 1 }, { trace: 1 }),
  fc.record({ progressToken: id }),
);
const params = fc.oneof(
  fc.constantFrom(undefined, null, 1, "a", []),
  fc.record({ name: fc.string(), _meta: meta }, { requiredKeys: [] }),
);
const body = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      jsonrpc: fc.constantFrom("2.0", "1.0", 2),
      id,
      method: fc.constantFrom("tools/call", "initialize", "notifications/cancelled", "", 1),
      params,
      result: fc.constant({}),
      extra: fc.constant(1),
    },
    { requiredKeys: [] },
  ),
  fc.record({
    jsonrpc: fc.constant("2.0"),
    id: fc.oneof(fc.integer(), fc.string()),
    method: fc.constant("tools/call"),
    params,
  }),
);
const version = fc.constantFrom(
  undefined,
  "2025-03-26",
  "2025-11-25",
  "2026-07-28",
  "2027-01-01",
  "DRAFT",
  "",
);

verifies("host:http", "what the shortcut takes for a legacy request, the SDK takes for one", () => {
  let taken = 0;
  fc.assert(
    fc.property(body, version, (message, named) => {
      // As it is read: without members that JSON does not know.
      const read: unknown = JSON.parse(JSON.stringify(message) ?? "null");
      if (!isPlainLegacyRequest(read, named === undefined ? {} : { "mcp-protocol-version": named })) return;
      taken += 1;
      expect(isJSONRPCRequest(read)).toBe(true);
      const header = named === undefined ? {} : { protocolVersionHeader: named };
      expect(classifyInboundRequest({ httpMethod: "POST", ...header, body: read }).kind).toBe("legacy");
    }),
    { numRuns: 500 },
  );
  expect(taken).toBeGreaterThan(20);
});
