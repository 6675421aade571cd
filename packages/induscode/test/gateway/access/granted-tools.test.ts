import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { grantedBy } from "../../../src/gateway/access/granted-tools.ts";

const mounted = (server: string, tool: string) => ({
  name: `${server}__${tool}`,
  origin: { server, tool },
});
const TOOLS = [
  mounted("notes", "add"),
  mounted("notes", "list"),
  mounted("git", "log"),
  mounted("notes__x", "add"),
  { name: "read" },
  { name: "bash" },
];
const APPROVED: readonly string[] = ["notes", "git", "notes__x"];
const allowed = (grant: Parameters<typeof grantedBy>[0], approved = APPROVED): string[] =>
  TOOLS.filter((tool) => grantedBy(grant, () => approved).tool(tool)).map(({ name }) => name);

verifies(
  "access:grant",
  "lists of servers and tools choose tools, and the servers of prompts and resources",
  () => {
    expect(allowed({})).toEqual(TOOLS.map(({ name }) => name));
    expect(allowed({ calls: 3, listing: "search" })).toHaveLength(TOOLS.length);
    expect(allowed({ servers: ["notes"] })).toEqual(["notes__add", "notes__list"]);
    expect(allowed({ servers: [] })).toEqual([]);
    expect(allowed({ tools: ["notes__*"] })).toEqual(["notes__add", "notes__list"]);
    // A list of one tool allows one tool, also if it is not one of a server.
    expect(allowed({ tools: ["read"] })).toEqual(["read"]);
    expect(allowed({ tools: ["notes__add"] })).toEqual(["notes__add"]);
    expect(allowed({ servers: ["git"], tools: ["read"] })).toEqual(["git__log", "read"]);
    expect(allowed({ servers: ["notes", "git"], tools: ["notes__l*", "git__*", "read"] })).toEqual([
      "notes__list",
      "git__log",
      "read",
    ]);
    // The list of servers counts, whatever patterns match.
    expect(allowed({ servers: ["git"], tools: ["*__*"] })).toEqual(["git__log"]);
    const servers = (grant: Parameters<typeof grantedBy>[0]): boolean[] =>
      ["notes", "git", "notes__x"].map((id) =>
        grantedBy(grant, () => ["git", "notes__x", "nots"]).server(id),
      );
    expect(servers({})).toEqual([true, true, true]);
    expect(servers({ servers: ["git"] })).toEqual([false, true, false]);
    expect(servers({ tools: ["git__log"] })).toEqual([false, true, false]);
    expect(servers({ tools: ["notes__x__*", "read"] })).toEqual([false, false, true]);
    expect(servers({ tools: ["read"] })).toEqual([false, false, false]);
  },
);

const word = fc.constantFrom("notes", "git", "notes__x", "a", "read", "*", "no*");
const grant = fc.record(
  {
    servers: fc.array(word, { maxLength: 3 }),
    tools: fc.array(
      fc.oneof(
        word,
        fc.tuple(word, word).map((parts) => parts.join("__")),
      ),
      { maxLength: 3 },
    ),
  },
  { requiredKeys: [] },
);

verifies("access:grant", "a tool is allowed only if its server is, and a shorter list allows no more", () => {
  fc.assert(
    fc.property(grant, fc.constantFrom("notes", "git", "notes__x", "a"), word, (given, server, tool) => {
      const granted = grantedBy(given);
      if (granted.tool(mounted(server, tool))) expect(granted.server(server)).toBe(true);
      const narrower = grantedBy({ ...given, servers: (given.servers ?? []).slice(1) });
      if (narrower.tool(mounted(server, tool))) expect(granted.tool(mounted(server, tool))).toBe(true);
    }),
  );
});
