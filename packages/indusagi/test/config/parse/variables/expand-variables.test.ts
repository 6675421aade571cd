import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { parseServerConfig } from "indusagi/config";
import { expect } from "vitest";
import { parseEnvFile } from "../../../../src/config/parse/variables/env-files.ts";
import { expandVariables } from "../../../../src/config/parse/variables/expand-variables.ts";

const ENV = { A: "one", EMPTY: "", NESTED: "${A}", "WITH-DASH": "dash" };

/** One argument after expansion, or the message of the diagnostic. */
function argument(text: string, platform: NodeJS.Platform = "linux"): string {
  const { servers, diagnostics } = parseServerConfig(
    JSON.stringify({ servers: { s: { command: "x", args: [text] } } }),
    { env: ENV, workspaceFolder: "/w/p", userHome: "/h", inputs: { given: "answer" }, platform },
  );
  const [server] = servers;
  return server?.config.kind === "stdio" ? String(server.config.args?.[0]) : String(diagnostics[0]?.message);
}

verifies("config:variables", "each form is expanded", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["${A}", "one"],
    ["x${A}y${A}z", "xoneyonez"],
    ["${env:A}", "one"],
    ["${env:WITH-DASH}", "dash"],
    ["${A:-d}", "one"],
    ["${B:-d}", "d"],
    ["${B:-}", ""],
    ["${EMPTY}", ""],
    ["${EMPTY:-d}", "d"],
    ["${B:-a:-b}", "a:-b"],
    ["${B:-${A}}", "one"],
    ["${B:-${C:-deep}}", "deep"],
    ["${B:-{x}", "{x"],
    // The value of a variable is data and is not expanded.
    ["${NESTED}", "${A}"],
    ["$${A}", "${A}"],
    ["$A $(A) `A` %A%", "$A $(A) `A` %A%"],
    ["${A", "${A"],
    ["${workspaceFolder}/x", "/w/p/x"],
    ["${workspaceFolderBasename}", "p"],
    ["${userHome}", "/h"],
    ["a${pathSeparator}b${/}c", "a/b/c"],
    ["${input:given}", "answer"],
  ];
  for (const [text, expanded] of cases) expect(argument(text), text).toBe(expanded);
});

verifies("config:variables", "on Windows the case of a name does not matter", () => {
  expect(argument("${a}", "win32")).toBe("one");
  expect(argument("${pathSeparator}", "win32")).toBe("\\");
  expect(argument("${a}")).toContain("variable a,");
});

verifies(
  "config:missing-variable",
  "the message names the variable and what to do, and the row is dropped",
  () => {
    expect(argument("${TOKEN}")).toBe(
      'server "s": args[0] uses the variable TOKEN, which is not set; set it, or write ${TOKEN:-default}. The row is dropped',
    );
    expect(argument("${env:TOKEN}")).toContain("variable TOKEN,");
    expect(argument("${B:-${C}}")).toContain("variable C,");
    expect(argument("${input:key}")).toContain("uses the input key");
    for (const name of ["command:pick", "config:x.y", "a b", "", "toString()"])
      expect(argument(`\${${name}}`)).toContain(`uses \${${name}}, which is not a known variable`);
    // Names that every object has are not variables.
    for (const name of ["constructor", "__proto__", "toString"])
      expect(argument(`\${${name}}`)).toContain(`variable ${name}, which is not set`);
  },
);

verifies("config:missing-variable", "names of the editor without a value are reported", () => {
  const { servers, diagnostics } = parseServerConfig(
    `{"servers":{"s":{"command":"\${workspaceFolder}/x"}}}`,
    { env: {} },
  );
  expect(servers).toEqual([]);
  expect(diagnostics[0]?.message).toContain("uses ${workspaceFolder}, which is not known here");
});

verifies("config:variables", "texts without ${ stay, and expanding never throws", () => {
  const lookup = (name: string) => (name === "A" ? { value: "v" } : { problem: "no", isUnset: true });
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!text.includes("${"));
      expect(expandVariables(text, lookup)).toEqual({ text });
    }),
  );
  const pieces = fc.constantFrom("${", "}", ":-", "A", "B", "$", "{", " ", "x");
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      expect(expandVariables(parts.join(""), lookup)).toBeTypeOf("object");
    }),
  );
  expect(expandVariables("${B:-".repeat(5000) + "}".repeat(5000), lookup)).toHaveProperty("problem");
});

verifies("config:env-file", "lines, quotes, comments and export are read; others are counted", () => {
  const text = `\uFEFF# c\nA=1\nexport B = two # c\r\nC="x\\ny \\"q\\"" # c\nD='l\\n'\nE=\n\nnonsense\nF="open\n`;
  expect(parseEnvFile(text)).toEqual({
    variables: { A: "1", B: "two", C: 'x\ny "q"', D: "l\\n", E: "" },
    badLines: [8, 9],
  });
  fc.assert(fc.property(fc.string(), (any) => void parseEnvFile(any)));
});

verifies(
  "config:env-file",
  "a row's envFile goes to its server; variables of the file's envFile only where a row names them",
  () => {
    const text = `{
  "envFile": "\${userHome}/all.env",
  "servers": {
    "a": { "command": "x", "envFile": "row.env", "env": { "OWN": "own", "ALL": "\${ALL}", "A": "\${A}" } },
    "b": { "command": "\${ALL}" }
  }
}`;
    const files: { readonly [path: string]: string } = {
      "/h/all.env": "ALL=all\nA=not-this",
      "/c/row.env": "ROW=row\nOWN=row",
    };
    const { servers, diagnostics } = parseServerConfig(text, {
      file: "/c/mcp.json",
      env: ENV,
      userHome: "/h",
      readText: (path) => ({ text: files[path] ?? "" }),
    });
    expect(diagnostics).toEqual([]);
    expect(servers.map(({ config }) => config)).toEqual([
      { kind: "stdio", id: "a", command: "x", env: { ROW: "row", OWN: "own", ALL: "all", A: "one" } },
      { kind: "stdio", id: "b", command: "all" },
    ]);
    expect(servers.map(({ written }) => written.envFiles)).toEqual([
      ["${userHome}/all.env", "row.env"],
      ["${userHome}/all.env"],
    ]);
  },
);

verifies("config:env-file", "an envFile that cannot be read drops its row", () => {
  const text = `{"servers":{"a":{"command":"x","envFile":"/no"}}}`;
  expect(parseServerConfig(text, { env: {} }).diagnostics[0]?.message).toContain("cannot be read here");
  const { servers, diagnostics } = parseServerConfig(text, {
    env: {},
    readText: () => ({ problem: "does not exist; check the path" }),
  });
  expect(servers).toEqual([]);
  expect(diagnostics[0]?.message).toContain('the "envFile" does not exist');
});
