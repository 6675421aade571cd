import { verifies } from "@indus/testkit";
import {
  approvalHash,
  launchHash,
  loadServerConfigs,
  parseServerConfig,
  projectServerEntry,
  type TextReading,
} from "indusagi/config";
import { expect } from "vitest";

const parse = (profiles: unknown) =>
  parseServerConfig(JSON.stringify({ servers: {}, profiles }), { file: "/c/mcp.json", scope: "user" });

verifies("config:profiles", "every member is read, in file order", () => {
  const { profiles, diagnostics } = parse({
    docs: {
      servers: ["github", "fs-*"],
      tools: ["github__get_*", "read"],
      native: "none",
      listing: "search",
    },
    all_of_it: { description: "for people" },
    nothing: { servers: [] },
  });
  expect(diagnostics).toEqual([]);
  const source = { scope: "user", file: "/c/mcp.json", line: 1, column: expect.any(Number) as number };
  expect(profiles).toEqual([
    {
      name: "docs",
      servers: ["github", "fs-*"],
      tools: ["github__get_*", "read"],
      native: "none",
      listing: "search",
      source,
    },
    { name: "all_of_it", source },
    { name: "nothing", servers: [], source },
  ]);
});

verifies(
  "config:profiles",
  "a profile that cannot be used is dropped whole, with the reason and its position",
  () => {
    const cases: readonly (readonly [unknown, string])[] = [
      [{ servers: "github" }, '"servers" is not a list of names; write ["…", "…"]'],
      [{ servers: ["a", 1] }, '"servers" is not a list of names; write ["…", "…"]'],
      [{ tools: [] }, '"tools" is empty; name tools, or leave it out for all of them'],
      [{ native: "some" }, '"native" must be one of none, read-only, full, all'],
      [{ listing: true }, '"listing" must be one of all, search, auto, code'],
      ["github", 'it is not an object; write { "servers": ["…"] }'],
    ];
    for (const [profile, message] of cases) {
      const { profiles, diagnostics } = parse({ x: profile });
      expect(profiles).toEqual([]);
      expect(diagnostics).toEqual([
        expect.objectContaining({
          severity: "error",
          file: "/c/mcp.json",
          message: `profile "x": ${message}. The profile is dropped`,
        }),
      ]);
    }
    const taken = parse({ full: {}, " ": {} });
    expect(taken.profiles).toEqual([]);
    expect(taken.diagnostics.map(({ message }) => message)).toEqual([
      'profile "full": the name is reserved; choose another one. The profile is dropped',
      'profile " ": it has an empty name; give it a name. The profile is dropped',
    ]);
    expect(parse([]).diagnostics[0]?.message).toContain('"profiles" is not an object');
  },
);

verifies(
  "config:profiles",
  "a misspelled limit drops its profile, and a file may have profiles alone",
  () => {
    const { profiles, diagnostics } = parseServerConfig(
      '{ "profiles": { "x": { "sevrers": [] }, "y": { "description": "All." } } }',
    );
    expect(profiles.map(({ name }) => name)).toEqual(["y"]);
    expect(diagnostics).toEqual([
      expect.objectContaining({
        severity: "error",
        path: ["profiles", "x", "sevrers"],
        message:
          'profile "x": "sevrers" is not a member of a profile; use servers, tools, native, listing, description. The profile is dropped',
      }),
    ]);
  },
);

verifies("config:profiles", "a profile of a project hides none of the user", () => {
  const files: { readonly [file: string]: unknown } = {
    "/p/.indusvx/mcp.json": { profiles: { safe: {}, own: { native: "none" } } },
    "/u/mcp.json": { profiles: { safe: { servers: ["a"] } } },
  };
  const readText = (path: string): TextReading => ({ text: JSON.stringify(files[path]) });
  const { profiles, diagnostics } = loadServerConfigs({
    places: [
      { scope: "project", file: "/p/.indusvx/mcp.json" },
      { scope: "user", file: "/u/mcp.json" },
    ],
    readText,
  });
  expect(profiles.map(({ name, servers }) => [name, servers])).toEqual([
    ["safe", ["a"]],
    ["own", undefined],
  ]);
  expect(diagnostics).toEqual([
    expect.objectContaining({
      file: "/p/.indusvx/mcp.json",
      message: 'profile "safe" is also in "/u/mcp.json", which has precedence; this one is not used',
    }),
  ]);
});

verifies(
  "config:connectors",
  "it is read, written, and part of an approval; a wrong value is reported",
  () => checkFlag("connectors"), // It decides how a model reaches the server's tools.
);

verifies(
  "config:baggage",
  "it is read, written, and part of an approval; a wrong value is reported",
  () => checkFlag("passBaggage"), // It decides what the server learns about users.
);

verifies(
  "extensions:forwarded",
  "the methods of a row are read and written; a wrong value is reported",
  () => {
    const read = (extensionMethods: unknown) =>
      parseServerConfig(JSON.stringify({ servers: { s: { command: "x", extensionMethods } } }), { env: {} });
    const [row] = read(["com.example/"]).servers;
    expect(row?.config.extensionMethods).toEqual(["com.example/"]);
    expect(row && projectServerEntry(row.config).extensionMethods).toEqual(["com.example/"]);
    const wrong = read(7);
    expect(wrong.servers[0]?.config.extensionMethods).toBeUndefined();
    expect(wrong.diagnostics.map(({ message }) => message).join()).toContain("extensionMethods");
  },
);

/** The rules for a member that is true or false, and absent if it is false. */
function checkFlag(flag: "connectors" | "passBaggage"): void {
  const read = (row: object) =>
    parseServerConfig(JSON.stringify({ servers: { s: { command: "x", ...row } } }), { env: {} });
  const [plain, marked] = [read({}).servers[0], read({ [flag]: true }).servers[0]];
  expect(marked?.config).toEqual({ kind: "stdio", id: "s", command: "x", [flag]: true });
  expect(read({ [flag]: false }).servers[0]?.config).toEqual(plain?.config);
  if (!plain || !marked) throw new Error("both rows are valid");
  expect(projectServerEntry(marked.config)[flag]).toBe(true);
  // The same server, but another approval.
  expect(launchHash(marked.written)).toBe(launchHash(plain.written));
  expect(approvalHash(marked.written)).not.toBe(approvalHash(plain.written));
  expect(read({ [flag]: "yes" }).diagnostics.map(({ message }) => message)).toEqual([
    `server "s": "${flag}" is neither true nor false and is ignored; write one of them`,
  ]);
}

verifies("config:lazy", "when a server runs is read from its row, and a wrong value is reported", () => {
  const read = (row: object) =>
    parseServerConfig(JSON.stringify({ servers: { s: { command: "x", ...row } } }), { env: {} });
  const { servers, diagnostics } = read({ lazy: true, idleMs: 60_000 });
  expect([servers[0]?.config, diagnostics]).toEqual([
    { kind: "stdio", id: "s", command: "x", lazy: true, idleMs: 60_000 },
    [],
  ]);
  expect(read({ lazy: false }).servers[0]?.config.lazy).toBe(false);
  const wrong = read({ lazy: "yes", idleMs: -1 });
  expect(wrong.servers[0]?.config).toEqual({ kind: "stdio", id: "s", command: "x" });
  expect(wrong.diagnostics.map(({ message }) => message)).toEqual([
    'server "s": "lazy" is neither true nor false and is ignored; write one of them',
    'server "s": "idleMs" is not a valid time and is ignored; write milliseconds, as in 60000',
  ]);
});
