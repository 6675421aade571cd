import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { wireName } from "indusagi/interop";
import {
  BridgeCapability,
  BridgeLedger,
  bridgeContentKey,
  bridgeFingerprint,
  bridgeUlidKey,
  isBridgeKey,
  qualifyBridgeName,
  serverOfQualified,
} from "induscode/deck";
import { expect } from "vitest";
import { AT, echoRunner, sampleCapability, sampleDescriptor } from "./sample-tools.ts";

/** The same value with the members of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, reversed(member)]),
  );
}

verifies("ledger:content-key", "a key is bk_ and 32 hex digits for any names and any schema", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.jsonValue(), (server, tool, schema) => {
      const key = bridgeContentKey(server, tool, schema);
      expect(key).toMatch(/^bk_[0-9a-f]{32}$/);
      expect(isBridgeKey(key)).toBe(true);
      expect(bridgeContentKey(server, tool, reversed(schema))).toBe(key);
    }),
  );
});

verifies("ledger:content-key", "the key of a known tool never changes", () => {
  expect(bridgeContentKey("github", "create_issue", { type: "object" })).toBe(PINNED_KEY);
  expect(bridgeContentKey("github", "create_issue", { type: "object", properties: {} })).not.toBe(PINNED_KEY);
});

const PINNED_KEY = "bk_9c914e2c0791684ac18e3a4038409f79";

verifies(
  "ledger:content-key",
  "a missing schema differs from an empty one, and two pairs of names never share a key",
  () => {
    expect(bridgeContentKey("a", "b")).toBe(bridgeContentKey("a", "b", null));
    expect(bridgeContentKey("a", "b")).not.toBe(bridgeContentKey("a", "b", {}));
    expect(bridgeContentKey("a__b", "c")).not.toBe(bridgeContentKey("a", "b__c"));
  },
);

verifies(
  "ledger:content-key",
  "an enrollment without a key gets the key of the schema as its server sent it",
  () => {
    const capability = sampleCapability("fs", "read");
    const { live } = BridgeLedger.empty().enroll({ capability, server: "fs" }, AT).snapshot;
    const schema = capability.descriptor.definition?.["inputSchema"];
    expect([...live.keys()]).toEqual([bridgeContentKey("fs", "read", schema)]);
    expect(schema).not.toEqual(capability.parameters);
  },
);

verifies("ledger:ulid-key", "keys sort in the order in which they were made", () => {
  const keys = Array.from({ length: 1000 }, bridgeUlidKey);
  expect(keys.every(isBridgeKey)).toBe(true);
  expect([...new Set(keys)].sort()).toEqual(keys);
  for (const text of ["", "bk_", "bk_xyz", `x${keys[0]}`, `${keys[0]}0`, 7])
    expect(isBridgeKey(text)).toBe(false);
});

verifies(
  "ledger:fingerprint",
  "each part of a tool's description counts, the order of members does not",
  () => {
    const base = {
      title: "Read",
      description: "reads",
      annotations: { readOnlyHint: true },
      inputSchema: { type: "object", required: ["a"] },
      outputSchema: { type: "object" },
    };
    const of = (listing: object): string => bridgeFingerprint(sampleDescriptor("fs", "read", listing));
    const changes = [
      { title: "Write" },
      { description: "writes" },
      { annotations: { readOnlyHint: false } },
      { inputSchema: { type: "object", required: [] } },
      { outputSchema: undefined },
    ];
    expect(of(base)).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set([base, ...changes.map((change) => ({ ...base, ...change }))].map(of)).size).toBe(6);
    expect(of(reversed(base) as object)).toBe(of(base));
    expect(of({ ...base, _meta: { seen: 1 } })).toBe(of(base));
    const shown = {
      ...sampleDescriptor("fs", "read", base),
      description: "shown to a model",
      parameters: {},
    };
    expect(bridgeFingerprint(shown)).toBe(of(base));
  },
);

verifies("ledger:fingerprint", "a tool that no server listed is described by its descriptor", () => {
  const { definition: _, ...native } = sampleDescriptor("fs", "read");
  expect(bridgeFingerprint(native)).not.toBe(bridgeFingerprint({ ...native, description: "else" }));
});

verifies(
  "ledger:names",
  "a name is joined with two underscores, and the part before the first pair is the server",
  () => {
    expect(qualifyBridgeName("github", "create_issue")).toBe("github__create_issue");
    const owners: [string, string][] = [
      ["github__create_issue", "github"],
      ["a__b__c", "a"],
      ["__leading", ""],
      ["plain", ""],
      ["a_b", ""],
      ["", ""],
    ];
    for (const [name, owner] of owners) expect(serverOfQualified(name), name).toBe(owner);
  },
);

verifies("ledger:content-key", "a tool has the same key under the name limits 48 and 64", () => {
  const tool = `a_long_name_of_a_tool_${"x".repeat(20)}`;
  const keysAt = (limit: number) => {
    const descriptor = { ...sampleDescriptor("server-of-a-company", tool) };
    const name = wireName({ server: "server-of-a-company", name: tool }, limit);
    const capability = new BridgeCapability({ ...descriptor, name }, echoRunner);
    const { live } = BridgeLedger.empty().enroll({ capability, server: "server-of-a-company" }, AT).snapshot;
    return { name, keys: [...live.keys()] };
  };
  const [short, long] = [keysAt(48), keysAt(64)];
  expect(short.name).not.toBe(long.name);
  expect(short.keys).toEqual(long.keys);
  const schema = sampleDescriptor("server-of-a-company", tool).definition?.["inputSchema"];
  expect(long.keys).toEqual([bridgeContentKey("server-of-a-company", tool, schema)]);
});
