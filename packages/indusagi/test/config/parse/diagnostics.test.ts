import { verifies } from "@indus/testkit";
import { MAX_CONFIG_DEPTH, parseServerConfig } from "indusagi/config";
import { expect } from "vitest";

verifies("config:diagnostics", "a diagnostic has file, line, column and path of the thing", () => {
  const text = `{\n  "servers": {\n    "ok": { "command": "x" },\n    "bad": {\n      "url": "ftp://h",\n      "hello": 1 }\n  }\n}`;
  const { servers, diagnostics } = parseServerConfig(text, { file: "/c/mcp.json", env: {} });
  expect(servers.map(({ config }) => config.id)).toEqual(["ok"]);
  expect(diagnostics).toEqual([
    {
      severity: "warning",
      file: "/c/mcp.json",
      line: 6,
      column: 7,
      path: ["servers", "bad", "hello"],
      message: 'server "bad": "hello" has no effect here; remove it or check its spelling',
    },
    {
      severity: "error",
      file: "/c/mcp.json",
      line: 5,
      column: 7,
      path: ["servers", "bad", "url"],
      message: 'server "bad": url is neither an http nor an https URL; use one of them. The row is dropped',
    },
  ]);
});

verifies(
  "config:diagnostics",
  "a malformed file is dropped as a whole, and the position of the error is reported",
  () => {
    const cases = [
      [`{\n  "servers": {\n    "a": { "command": "x" }\n    "b": {}\n  }\n}`, 4, "a comma is missing"],
      [`{"servers":{`, 1, "a closing } is missing"],
      [`{'servers':{}}`, 1, "an unknown word"],
      [`{"servers":{}}\n{}`, 2, "content after the end"],
      [`{"a": "x\ny"}`, 1, "a string is not closed"],
      [`{"a": 1 /* `, 1, "a comment is not closed"],
    ] as const;
    for (const [text, line, words] of cases) {
      const { servers, usable, diagnostics } = parseServerConfig(text);
      expect(servers).toEqual([]);
      expect(usable).toBe(false);
      expect(diagnostics).toHaveLength(1);
      expect(diagnostics[0], text).toMatchObject({ severity: "error", line });
      expect(diagnostics[0]?.message).toContain(words);
    }
    for (const text of ["", " \n", "\uFEFF", "// nothing\n"])
      expect(parseServerConfig(text).diagnostics.map(({ message }) => message)).toEqual([
        'the file is empty; write { "servers": {} } or remove it',
      ]);
  },
);

verifies("config:diagnostics", "repeated keys are reported at the position of the unused one", () => {
  const text = `{"servers":{"a":{"command":"1"},\n"a":{"command":"2","command":"3","env":{"K":"1","K":"2"}}},"servers2":1}`;
  const { servers, diagnostics } = parseServerConfig(text);
  expect(servers.map(({ config }) => config)).toEqual([
    { kind: "stdio", id: "a", command: "3", env: { K: "2" } },
  ]);
  expect(diagnostics.map(({ line, message }) => [line, message])).toEqual([
    [2, '"servers2" at the top of the file has no effect here; remove it or check the spelling'],
    [1, 'server "a" is repeated on line 2, and the last row is used; remove one of them'],
    [2, '"command" is written twice, and the last one is used; remove one of them'],
    [2, '"K" is written twice, and the last one is used; remove one of them'],
  ]);
  expect(
    parseServerConfig(`{"servers":{"a":{"command":"x"}},"servers":{}}`).diagnostics[0]?.message,
  ).toContain('"servers" is written twice');
});

verifies(
  "config:hostile-values",
  "a value that a command, argument, header or URL cannot contain drops the row",
  () => {
    const cases: readonly object[] = [
      { command: "a\nb" },
      { command: "a\0b" },
      { command: " " },
      { command: "x", args: ["a\nb"] },
      { command: "x", args: ["a\0"] },
      { command: "x", cwd: "/a\n" },
      { command: "x", env: { "A=B": "1" } },
      { command: "x", env: { "": "1" } },
      { command: "x", env: { A: "\0" } },
      { url: "https://h/\n" },
      { url: "https://h/\tx" },
      { url: "h/x" },
      { url: "file:///etc/passwd" },
      { url: "javascript:alert(1)" },
      { url: "https://user:pass@h/" },
      { url: "https://h/", headers: { A: "x\r\nB: y" } },
      { url: "https://h/", headers: { A: "x\0" } },
      { url: "https://h/", headers: { A: "x\u2028" } },
      { url: "https://h/", headers: { "A B": "x" } },
      { url: "https://h/", headers: { "A\n": "x" } },
      // The same through a variable.
      { url: "https://h/", headers: { A: "${LINES}" } },
      { command: "x", args: ["${LINES}"] },
    ];
    for (const row of cases) {
      const { servers, diagnostics } = parseServerConfig(JSON.stringify({ servers: { a: row } }), {
        env: { LINES: "x\ny" },
      });
      expect(servers, JSON.stringify(row)).toEqual([]);
      expect(diagnostics.some(({ severity }) => severity === "error")).toBe(true);
    }
    const key = { command: "x", env: { KEY: "-----BEGIN\nline\n" } };
    expect(parseServerConfig(JSON.stringify({ servers: { a: key } })).servers).toHaveLength(1);
  },
);

verifies("config:hostile-values", "control characters in names are escaped", () => {
  const text = JSON.stringify({ servers: { "a\u001b[2J\u202e\n": { command: 1, "m\u0007": 1 } } });
  for (const { message } of parseServerConfig(text).diagnostics)
    expect(message).not.toMatch(/[\u0000-\u001f\u202e]/);
});

verifies("config:prototype", "keys like __proto__ are plain keys and change nothing else", () => {
  const text = `{"__proto__":{"polluted":1},"servers":{
    "__proto__":{"command":"x","env":{"__proto__":"p","constructor":"c"}},
    "constructor":{"command":"y","__proto__":{"command":"z"}}}}`;
  const { servers } = parseServerConfig(text);
  expect(servers.map(({ config }) => config.id)).toEqual(["__proto__", "constructor"]);
  const [first] = servers;
  const env = first?.config.kind === "stdio" ? first.config.env : undefined;
  expect(Object.entries(env ?? {})).toEqual([
    ["__proto__", "p"],
    ["constructor", "c"],
  ]);
  expect(Object.getPrototypeOf(env)).toBe(Object.prototype);
  expect(({} as { readonly polluted?: unknown }).polluted).toBeUndefined();
});

verifies("config:no-secrets", "no diagnostic shows a value", () => {
  const canary = "CANARY-5ecret";
  const bad = `${canary}\n`;
  const row = {
    type: canary,
    command: bad,
    args: [bad, { x: canary }],
    env: { A: `${canary}\0`, B: [canary] },
    url: `ftp://${canary}`,
    headers: { A: bad, B: "${SECRET}", C: null },
    cwd: bad,
    timeout: canary,
    share: canary,
    enabled: canary,
    includeTools: canary,
    envFile: "${MISSING}",
  };
  const rows = Object.keys(row).map((member) => ({
    ...(member === "url" || member === "headers" ? { url: "https://h/" } : { command: "x" }),
    [member]: row[member as keyof typeof row],
  }));
  const servers = Object.fromEntries([row, ...rows].map((each, index) => [`s${index}`, each]));
  const texts = [
    JSON.stringify({ servers }),
    `{"servers": {"a": {"env": {"T": "${canary}`,
    `{"a": ${canary}}`,
  ];
  for (const text of texts) {
    const { diagnostics } = parseServerConfig(text, { env: { SECRET: bad } });
    expect(diagnostics.length).toBeGreaterThan(0);
    expect(JSON.stringify(diagnostics)).not.toContain(canary);
  }
});

verifies("config:budgets", "a file that is nested too deeply is dropped, however deep it is", () => {
  const deep = (levels: number): string => `{"servers":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
  expect(parseServerConfig(deep(MAX_CONFIG_DEPTH)).usable).toBe(true);
  for (const levels of [MAX_CONFIG_DEPTH + 1, 100_000, 1_000_000]) {
    const { usable, diagnostics } = parseServerConfig(deep(levels));
    expect(usable).toBe(false);
    expect(diagnostics[0]?.message).toContain("nested deeper than 64");
  }
  expect(parseServerConfig(`{"a":"${"[".repeat(1000)}" /* ${"{".repeat(1000)} */}`).usable).toBe(true);
  // Brackets in strings do not count, also behind an escaped quote.
  const texts = ["[".repeat(1000), `\\"${"{".repeat(1000)}`, "]".repeat(1000), "\\\\"];
  const inStrings = `{"servers":[],"a":[${texts.map((text) => `"${text}"`).join(",")}]`;
  expect(parseServerConfig(`${inStrings}}`).usable).toBe(true);
  expect(parseServerConfig(`${inStrings},"b":${deep(MAX_CONFIG_DEPTH)}}`).usable).toBe(false);
});

verifies(
  "config:budgets",
  "a file with too many rows and errors is read in part, with a bounded list of diagnostics and a count",
  () => {
    const { servers, diagnostics } = parseServerConfig(
      `{"servers":[${"1,".repeat(1999)}{"name":"last","command":"x"},${"1,".repeat(100_000)}]}`,
    );
    expect(servers.map(({ config }) => config.id)).toEqual(["last"]);
    expect(diagnostics).toHaveLength(201);
    expect(diagnostics[0]?.message).toBe("only the first 2000 of 102000 rows are read; split the file");
    expect(diagnostics.at(-1)?.message).toContain("1800 more problems");
  },
);
