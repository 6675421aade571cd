import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { type ServerConfig, wireName } from "indusagi/interop";
import { expect } from "vitest";
import { serversLikelyFor } from "../../../src/servers/open/likely-servers.ts";

const row = (id: string): ServerConfig => ({ kind: "stdio", id, command: "x" });
const ids = (servers: readonly ServerConfig[]): string[] => servers.map(({ id }) => id);

/** A memory in which servers listed these tools. */
const memory = (known: {
  readonly [id: string]: readonly string[];
}): NonNullable<Parameters<typeof serversLikelyFor>[2]> => ({
  entry: ({ id }) => {
    const tools = (known[id] ?? []).map((name) => ({ name, inputSchema: { type: "object" as const } }));
    const listing = { tools, prompts: [], resources: [], templates: [], capabilities: {} };
    return { server: id, failures: 0, listing };
  },
});

verifies("command:one-server", "the beginning of the name, then the catalogue, then no hint", () => {
  const servers = ["a", "a__b", "my server", "x".repeat(60)].map(row);
  const shown = (tool: string, known = {}): string[] => ids(serversLikelyFor(tool, servers, memory(known)));
  expect(shown("a__c")).toEqual(["a"]);
  expect(shown("a__b__c")).toEqual(["a", "a__b"]);
  const hashed = wireName({ server: "a__b", name: "c" }, 48);
  expect(shown(hashed)).toEqual(["a", "a__b"]);
  expect(shown(hashed, { a__b: ["c"] })).toEqual(["a__b"]);
  expect(shown(wireName({ server: "my server", name: "t" }, 48))).toEqual(["my server"]);
  expect(shown(wireName({ server: "x".repeat(60), name: "t" }, 48))).toEqual(["x".repeat(60)]);
  expect(shown("other__c")).toEqual([]);
  expect(shown("")).toEqual([]);
});

verifies("command:one-server", "the server of a tool is always among the likely ones", () => {
  const id = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.constantFrom("a", "a_", "a__b", "a__b__", "é", "x".repeat(50)),
  );
  const name = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom("b__c", "_", "c", "t".repeat(50)));
  fc.assert(
    fc.property(fc.uniqueArray(id, { minLength: 1, maxLength: 6 }), name, fc.nat(5), (all, tool, pick) => {
      const server = all[pick % all.length] ?? "";
      const wire = wireName({ server, name: tool }, 48);
      expect(ids(serversLikelyFor(wire, all.map(row)))).toContain(server);
      expect(ids(serversLikelyFor(wire, all.map(row), memory({ [server]: [tool] })))).toContain(server);
    }),
  );
});
