import { verifies } from "@indus/testkit";
import { type ParseConfigOptions, parseServerConfig } from "indusagi/config";
import { expect } from "vitest";
import { REAL_FILES } from "./real-files.ts";

const WORLD: ParseConfigOptions = {
  env: { API_KEY: "key-1" },
  workspaceFolder: "/home/ada/project",
  userHome: "/home/me",
  platform: "linux",
};

const configs = (text: string, options: ParseConfigOptions = WORLD): object[] =>
  parseServerConfig(text, options).servers.map(({ config }) => config);
const messages = (text: string, options: ParseConfigOptions = WORLD): string[] =>
  parseServerConfig(text, options).diagnostics.map(({ message }) => message);
/** A file with one row. */
const row = (members: string): string => `{"servers":{"a":{${members}}}}`;

for (const { client, text, servers, messages: expected = [] } of REAL_FILES) {
  verifies("config:real-files", client, () => {
    expect(configs(text)).toEqual(servers);
    const said = messages(text);
    expect(said).toHaveLength(expected.length);
    for (const [index, words] of expected.entries()) expect(said[index]).toContain(words);
  });
}

verifies("config:shapes", "rows keep their order in the file, integer-like names too", () => {
  const text = `{"servers":{"b":{"command":"x"},"10":{"command":"x"},"2":{"command":"x"}},"mcpServers":[{"name":"a","command":"x"}]}`;
  expect(parseServerConfig(text, WORLD).servers.map(({ config }) => config.id)).toEqual([
    "b",
    "10",
    "2",
    "a",
  ]);
});

verifies(
  "config:shapes",
  "a container that is neither list nor object, and a file without rows, are reported",
  () => {
    expect(messages(`{"servers": 5}`)).toEqual([
      '"servers" contains no rows; make it an object or an array of servers',
    ]);
    expect(messages("{}")).toEqual(['the file contains no servers; put them into "servers" or "mcpServers"']);
    expect(messages("[]")).toEqual(['the file does not contain an object; write { "servers": { … } }']);
    expect(messages(`{"servers":[7,{"command":"x"},{"name":" ","command":"x"}]}`)).toEqual([
      "this row is not an object and is dropped; write a server as { … }",
      'this row has no name and is dropped; give it a "name"',
      'this row has no name and is dropped; give it a "name"',
    ]);
    expect(messages(`{"servers":{"":{"command":"x"},"b":null}}`)).toEqual([
      "this row has an empty name and is dropped; give it a name",
      'server "b": the row is not an object and is dropped; write { "command": … }',
    ]);
  },
);

verifies("config:shapes", "the key is used and not an inner name, with a warning", () => {
  const text = row(`"name":"b","command":"x"`);
  expect(configs(text)).toEqual([{ kind: "stdio", id: "a", command: "x" }]);
  expect(messages(text)).toEqual([
    'server "a" has another "name" inside its row; the key is used, so remove the inner "name"',
  ]);
  expect(messages(row(`"name":"a","command":"x"`))).toEqual([]);
});

verifies("config:jsonc", "a byte order mark, comments and trailing commas are accepted", () => {
  const text = `\uFEFF// head\n{/* a */"servers":{"a":{"command":"x",},},}\n`;
  expect(configs(text)).toEqual([{ kind: "stdio", id: "a", command: "x" }]);
  expect(messages(text)).toEqual([]);
});

verifies("config:transport", "type decides between url and command and fixes the transport", () => {
  const both = `"command":"x","url":"https://h/"`;
  const fallback = { kind: "streamable-http", id: "a", url: "https://h/" };
  expect(configs(row(both))).toEqual([fallback]);
  expect(messages(row(both))).toEqual([
    'server "a": "command" is not used because "url" has precedence; remove one of them',
  ]);
  expect(configs(row(`${both},"type":"stdio"`))).toEqual([{ kind: "stdio", id: "a", command: "x" }]);
  expect(configs(row(`${both},"type":"sse"`))).toEqual([
    { kind: "sse", id: "a", url: "https://h/", onMismatch: "fail" },
  ]);
  for (const type of ["http", "streamable-http", "streamableHttp"])
    expect(configs(row(`"url":"https://h/","type":"${type}"`))).toEqual([
      { ...fallback, onMismatch: "fail" },
    ]);
});

verifies("config:transport", "a type that is unknown or lacks its member drops the row", () => {
  const cases = [
    [`"type":"ws","url":"https://h/"`, '"type" must be one of stdio, http, sse'],
    [`"type":"constructor","url":"https://h/"`, '"type" must be one of stdio, http, sse'],
    [`"type":1,"url":"https://h/"`, '"type" must be one of stdio, http, sse'],
    [`"type":"stdio","url":"https://h/"`, 'no "command", which its "type" needs'],
    [`"type":"http","command":"x"`, 'no "url", which its "type" needs'],
    [`"args":[]`, 'neither "command" nor "url"'],
    [`"command":["npx"]`, '"command" is not a string'],
  ] as const;
  for (const [members, words] of cases) {
    const { servers, dropped, diagnostics } = parseServerConfig(row(members), WORLD);
    expect(servers).toEqual([]);
    expect(dropped).toEqual(["a"]);
    expect(diagnostics).toMatchObject([{ severity: "error", message: expect.stringContaining(words) }]);
  }
});

verifies("config:members", "every member reaches the configuration", () => {
  const text = row(
    `"command":"x","args":["1"],"env":{"A":"b"},"cwd":"/c","timeouts":{"connectMs":5000,"totalMs":9000},"timeout":7000,` +
      `"required":true,"share":"session","pin":"quarantine","includeTools":["t"],"excludeTools":["u"],"enabled":true,"disabled":false`,
  );
  expect(configs(text)).toEqual([
    {
      kind: "stdio",
      id: "a",
      command: "x",
      args: ["1"],
      env: { A: "b" },
      cwd: "/c",
      timeouts: { connectMs: 5000, callMs: 7000, totalMs: 9000 },
      required: true,
      share: "session",
      includeTools: ["t"],
      excludeTools: ["u"],
      pin: "quarantine",
    },
  ]);
  expect(messages(text)).toEqual([]);
});

verifies(
  "config:tool-overrides",
  "names and descriptions of tools are read, and what is wrong is named",
  () => {
    const overrides = `{"t":{"name":"u","description":"U.","extra":1},"v":{"name":7},"w":"x","__proto__":{"name":"p"}}`;
    const text = row(`"command":"x","toolOverrides":${overrides}`);
    const [config] = configs(text) as [{ readonly toolOverrides?: object }];
    expect(Object.entries(config.toolOverrides ?? {})).toEqual([
      ["t", { name: "u", description: "U." }],
      ["v", {}],
      ["w", {}],
      ["__proto__", { name: "p" }],
    ]);
    expect(messages(text)).toEqual([
      'server "a": "extra" of tool "t" is ignored; use "name" and "description" with texts',
      'server "a": "name" of tool "v" is ignored; use "name" and "description" with texts',
      'server "a": the override of tool "w" is ignored; write { "name": "…", "description": "…" }',
    ]);
    expect(messages(row(`"command":"x","toolOverrides":[]`))[0]).toContain("is not an object");
  },
);

verifies("config:members", "a timeout longer than the limit of a call raises the limit", () => {
  expect(configs(row(`"command":"x","timeout":1200000`))).toEqual([
    { kind: "stdio", id: "a", command: "x", timeouts: { callMs: 1_200_000, totalMs: 1_200_000 } },
  ]);
});

verifies("config:members", "an invalid value that could widen access or start a server drops the row", () => {
  for (const members of [
    `"enabled":"no"`,
    `"disabled":1`,
    `"includeTools":"a"`,
    `"share":"all"`,
    `"pin":"none"`,
    `"args":"-y"`,
  ])
    expect(configs(row(`"command":"x",${members}`)), members).toEqual([]);
});

verifies(
  "config:members",
  "an invalid value that only tunes is ignored, and unknown members are reported",
  () => {
    const text = row(
      `"command":"x","timeout":"30s","timeouts":{"callMs":-1,"calls":1},"required":"yes","comand":"y","description":"d"`,
    );
    expect(configs(text)).toEqual([{ kind: "stdio", id: "a", command: "x" }]);
    const { diagnostics } = parseServerConfig(text, WORLD);
    expect(diagnostics.map(({ severity, path }) => [severity, path.at(-1)])).toEqual([
      ["warning", "comand"],
      ["warning", "timeout"],
      ["warning", "callMs"],
      ["warning", "calls"],
      ["warning", "required"],
    ]);
  },
);

verifies("config:coercion", "numbers and booleans are taken as written, other values are ignored", () => {
  const text = row(
    `"command":"x","args":[1,12345678901234567890,1.50,true,null,{},"s"],"env":{"A":1,"B":false,"C":null}`,
  );
  expect(configs(text)).toEqual([
    {
      kind: "stdio",
      id: "a",
      command: "x",
      args: ["1", "12345678901234567890", "1.50", "true", "s"],
      env: { A: "1", B: "false" },
    },
  ]);
  expect(messages(text)).toEqual([
    'server "a": args[4] is not a string and is ignored; write it in quotes',
    'server "a": args[5] is not a string and is ignored; write it in quotes',
    'server "a": env "C" is not a string and is ignored; write it in quotes',
  ]);
});

verifies("config:disabled", "a disabled row stays, needs no variables and causes no diagnostic", () => {
  const text = row(`"url":"https://\${HOST:-h}/","headers":{"A":"\${NOT_SET}"},"disabled":true`);
  const { servers, diagnostics } = parseServerConfig(text, WORLD);
  expect(servers[0]?.config).toEqual({
    kind: "streamable-http",
    id: "a",
    url: "https://${HOST:-h}/",
    headers: { A: "${NOT_SET}" },
    enabled: false,
  });
  expect(diagnostics).toEqual([]);
});

verifies("config:written", "the launch as written contains the references, not their values", () => {
  const text = row(`"command":"\${API_KEY}","args":["$\${x}"],"env":{"T":"\${API_KEY}"},"cwd":"sub"`);
  const { servers } = parseServerConfig(text, { ...WORLD, file: "/etc/x/mcp.json", scope: "user" });
  expect(servers[0]).toEqual({
    config: {
      kind: "stdio",
      id: "a",
      command: "key-1",
      args: ["${x}"],
      env: { T: "key-1" },
      cwd: "/etc/x/sub",
    },
    written: { command: "${API_KEY}", args: ["$${x}"], env: { T: "${API_KEY}" }, cwd: "sub" },
    source: { scope: "user", file: "/etc/x/mcp.json", line: 1, column: 13 },
  });
});

verifies("config:written", "relative folders in a project's file start at the project", () => {
  const { servers } = parseServerConfig(row(`"command":"x","cwd":"sub"`), {
    ...WORLD,
    file: "/home/ada/project/.indusvx/mcp.json",
    scope: "project",
  });
  expect(servers[0]?.config).toMatchObject({ cwd: "/home/ada/project/sub" });
});
