import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { COMMANDS } from "../../src/commands/index.ts";
import { commandWords, parseArguments } from "../../src/launch/internal.ts";
import { EMPTY_INVOCATION } from "./empty-invocation.ts";

const parse = (line: string): object => parseArguments(line === "" ? [] : line.split(" "), COMMANDS);

/** The request of a subcommand. */
const request = (line: string): object => {
  const parsed = parseArguments(line.split(" "), COMMANDS);
  return parsed.kind === "command" ? parsed.request : parsed;
};

verifies(
  "command:arguments",
  "flags stand anywhere after their command, joined to their value or not",
  () => {
    expect(request("mcp list a b --mcp x")).toMatchObject({ sources: { mcp: ["x"] }, names: ["a", "b"] });
    expect(parse("mcp list --mcp=a.json --json --mcp b.json,c.json --run d")).toEqual({
      kind: "command",
      name: "mcp list",
      request: {
        sources: { mcp: ["a.json", "b.json", "c.json"], run: ["d"] },
        names: [],
        json: true,
        exitCode: false,
        verbose: false,
      },
    });
    expect(request('mcp call --timeout 1.5 s__t a=1=2 b:={"c":[]} --mcp x -- --d=e')).toEqual({
      tool: "s__t",
      sources: { mcp: ["x"], run: [] },
      json: false,
      check: true,
      timeoutMs: 1500,
      fromInput: false,
      given: [
        { name: "a", text: "1=2" },
        { name: "b", value: { c: [] } },
        { name: "d", text: "e" },
      ],
    });
    expect(parse("serve --port 0 --host 10.0.0.1 --token-env T --cwd /x")).toEqual({
      kind: "command",
      name: "serve",
      request: {
        transport: { kind: "http", port: 0, host: "10.0.0.1", tokenEnv: "T", requireToken: false },
        sources: { mcp: [], run: [] },
        demo: false,
        lazy: false,
        bareAppNames: false,
        profile: "read-only",
        listing: "all",
        policy: { mode: "default", allow: [], deny: [] },
        withParent: false,
      },
      cwd: "/x",
    });
    expect(request("serve --demo")).toMatchObject({ transport: { kind: "http" }, demo: true });
    expect(request("serve --stdio --demo")).toMatchObject({ transport: { kind: "stdio" }, demo: true });
    expect(request("serve --port 1 --port 2")).toMatchObject({ transport: { port: 2 } });
    const given =
      "serve --stdio --profile full --mode plan --allow write,x --allow ls --tools read,a__* --deny b";
    expect(request(given)).toMatchObject({
      profile: "full",
      policy: { mode: "plan", allow: ["write,x", "ls"], deny: ["b"] },
      sources: { tools: ["read", "a__*"] },
    });
    expect(parse("serve --stdio --cwd=--odd")).toMatchObject({ cwd: "--odd" });
  },
);

verifies("command:arguments", "help and the version are found in every spelling", () => {
  expect(parse("tools --json")).toEqual({
    kind: "command",
    name: "tools",
    request: { json: true, sources: { mcp: [], run: [] } },
  });
  for (const line of ["--version", "-v", "--version now"]) expect(parse(line)).toEqual({ kind: "version" });
  for (const line of ["help", "--help", "-h", "nonsense --help", "--json -h"])
    expect(parse(line), line).toEqual({ kind: "help" });
  for (const [line, topic] of [
    ["tools --help", "tools"],
    ["call -h", "call"],
    ["call read --help", "call"],
    ["mcp --help", "mcp"],
    ["mcp call -h", "mcp call"],
    ["mcp call t a=1 --help", "mcp call"],
    ["serve --port 1 --help", "serve"],
    ["serve --nonsense --help", "serve"],
    ["help serve", "serve"],
    ["help mcp", "mcp"],
    ["help mcp list", "mcp list"],
  ] as const)
    expect(parse(line), line).toEqual({ kind: "help", topic });
});

verifies(
  "command:grammar",
  "the first word selects a command of the table; the rest is for the session",
  () => {
    expect(parse("")).toEqual({ kind: "overview" });
    expect(parse("--no-color")).toEqual({ kind: "overview" });
    expect(parse("mcp list")).toMatchObject({ kind: "command", name: "mcp list" });
    for (const [line, because, members] of [
      ["fix the bug", "a prompt", { prompt: "fix the bug", attachments: [] }],
      ["-- serve --stdio", "a prompt", { prompt: "serve --stdio" }],
      ["-- @notes.md", "a prompt", { prompt: "@notes.md", attachments: [] }],
      [
        "-pi explain @notes.md @a/b.ts",
        "a prompt",
        { attachments: ["notes.md", "a/b.ts"], prompt: "explain" },
      ],
      ["-pi x", "a prompt", { print: true, interactive: true }],
      ["--rpc", "--json", { json: true, print: false }],
      ["-m x --thinking high", "--model", { model: "x", thinking: "high" }],
      ["--mcp a,b --mcp=c", "--mcp", { mcp: ["a", "b", "c"], tools: [] }],
      ["--tools read,bash,", "--tools", { tools: ["read", "bash"], noTools: false }],
      ["-r s -c --cwd /x", "--cwd", { resume: "s", continue: true, cwd: "/x" }],
    ] as const) {
      const parsed = parse(line);
      expect(parsed, line).toMatchObject({ kind: "session", because, invocation: members });
    }
    const { invocation } = parse("-p") as { readonly invocation: object };
    expect(invocation).toEqual({ ...EMPTY_INVOCATION, print: true });
  },
);

verifies("command:arguments", "a line that cannot be carried out is one problem that names the word", () => {
  for (const [line, problem] of [
    ["call --json", "call needs the name of a tool"],
    ["call --port 1", 'unknown flag "--port" for call'],
    ["call t --args []", "--args takes one JSON object"],
    ["call read -x", 'unknown flag "-x" for call'],
    ["call read --token=hunter2", 'unknown flag "--token" for call'],
    ["call read -phunter2", 'unknown flag "-p" for call'],
    ["--jsno", 'unknown flag "--jsno" for indus'],
    ["--tools ,", "--tools needs a value: --tools NAMES"],
    ["--tools read --no-tools", "indus takes --no-tools or --tools, not both"],
    ["--thinking much", '--thinking takes one of off, minimal, low, medium, high, xhigh, not "much"'],
    ["tools x", 'tools takes no argument "x"'],
    ["mcp --json", expect.stringMatching(/^mcp needs one of list, /)],
    ["mcp frob", 'unknown command "mcp frob"'],
    ["mcp list --mcp", "--mcp needs a value: --mcp SOURCE"],
    ["mcp list --mcp=", "--mcp needs a value: --mcp SOURCE"],
    ["mcp list --mcp --json", "--mcp needs a value: --mcp SOURCE"],
    ["mcp list --mcp a --json=1", "--json takes no value"],
    ["mcp call --mcp a", "mcp call needs the name of a tool"],
    ["mcp call s t x --mcp a", '"x" is not of the form name=value'],
    ["mcp call t x:=y --mcp a", 'the text after "x:=" is not JSON'],
    ["mcp call t --args [] --mcp a", "--args takes one JSON object"],
    ["mcp call t --timeout soon --mcp a", "--timeout takes a number of seconds up to 86400, for example 30"],
    ["mcp call t --timeout 0 --mcp a", "--timeout takes a number of seconds up to 86400, for example 30"],
    ["serve", "serve needs --stdio or --port N or --demo"],
    ["serve --stdio --port 1", "serve takes --stdio or --port, not both"],
    ["serve --stdio --profile fll", '--profile takes one of read-only, full, all, none, not "fll"'],
    [
      "tools --tools read,bsah",
      '--tools does not know "bsah"; it takes read, ls, grep, find, websearch, webfetch, todo_read, write, edit, bash, process, todo_set, todo, bg-process, task, saas-action, memory, enter_plan_mode, exit_plan_mode, and patterns such as notes__*',
    ],
    [
      "tools --tools b__(",
      '--tools does not know "b__("; it takes read, ls, grep, find, websearch, webfetch, todo_read, write, edit, bash, process, todo_set, todo, bg-process, task, saas-action, memory, enter_plan_mode, exit_plan_mode, and patterns such as notes__*',
    ],
    ["serve --port 65536", "--port takes a whole number from 0 to 65535"],
    ["serve --port 1 x", 'serve takes no argument "x"'],
    ["serve --stdio --require-token", "serve takes --stdio or --require-token, not both"],
    ["token add", "token add needs a name: who the token is for"],
    ["token add a b", 'token add takes one name, not also "b"'],
    ["token add a --tools all,search", "--tools all,search: choose one of them"],
    ["token add a --calls 0", "--calls takes a whole number from 1 to 10000"],
    ["token revoke", "token revoke needs the name or the id of a token"],
    ["token --json", "token needs one of add, list, revoke"],
    ["serve --demo --host ::1", "serve takes --demo or --host, not both"],
    ["serve --port 1 --token=hunter2", 'unknown flag "--token" for serve'],
    ["serve --port 1 --toString", 'unknown flag "--toString" for serve'],
    ["serve --port 1 --__proto__=x", 'unknown flag "--__proto__" for serve'],
  ] as const)
    expect(parse(line), line).toMatchObject({ kind: "usage", problem });
});

verifies("command:arguments", "an unknown word is reported with the words that are known there", () => {
  expect(parse("sevre")).toMatchObject({ kind: "session", firstWord: "sevre" });
  expect(commandWords(COMMANDS)).toEqual(
    expect.arrayContaining(["tools", "mcp", "mcp list", "serve", "help"]),
  );
  expect(parse("help sevre")).toMatchObject({
    kind: "usage",
    unknown: { word: "sevre", known: commandWords(COMMANDS) },
  });
  expect(parse("help mcp lst")).toMatchObject({ kind: "usage", unknown: { word: "lst" } });
  expect(parse("mcp lst")).toMatchObject({
    unknown: { word: "lst", known: expect.arrayContaining(["list", "call"]) },
  });
  expect(parse("mcp list --jsno")).toMatchObject({
    unknown: { word: "--jsno", known: expect.arrayContaining(["--json", "--mcp", "--no-color"]) },
  });
});

verifies("command:help", "a problem of a known command names that command's help, which exists", () => {
  for (const [line, topic] of [
    ["call --port 1", "call"],
    ["mcp call s t x --mcp a", "mcp call"],
    ["serve --stdio --port 1", "serve"],
    ["token revoke", "token revoke"],
    ["mcp --json", "mcp"],
    ["mcp frob", "mcp"],
    ["help mcp frob", "mcp"],
  ] as const) {
    expect(parse(line), line).toMatchObject({ kind: "usage", topic });
    expect(parse(`help ${topic}`)).toEqual({ kind: "help", topic });
  }
  for (const line of ["--jsno", "--tools ,", "help frob"])
    expect(parse(line), line).toEqual(expect.not.objectContaining({ topic: expect.anything() }));
});

verifies(
  "economy:serve",
  "--tools of serve says how tools are listed, and chooses tools as elsewhere",
  () => {
    const sources = { mcp: [], run: [] };
    expect(request("serve --stdio --tools search")).toMatchObject({ listing: "search", sources });
    expect(request("serve --stdio --tools auto,read,a__*")).toMatchObject({
      listing: "auto",
      sources: { ...sources, tools: ["read", "a__*"] },
    });
    expect(request("serve --stdio --tools search")).not.toHaveProperty("sources.tools");
    expect(parse("serve --stdio --tools search,auto")).toMatchObject({
      kind: "usage",
      problem: "--tools search,auto: choose one of them",
    });
    expect(parse("serve --stdio --tools serch")).toMatchObject({ kind: "usage" });
    expect(parse("mcp tools --tools search")).toMatchObject({ kind: "usage" });
  },
);

verifies("command:call-options", "call takes the options of mcp call", () => {
  const expected = {
    tool: "t",
    given: [
      { name: "a", value: 1 },
      { name: "b", text: "2" },
    ],
    json: true,
    check: false,
    timeoutMs: 2000,
    fromInput: false,
  };
  const words = 't b=2 --args {"a":1} --json --no-check --timeout 2';
  expect(request(`call ${words}`)).toEqual({ sources: { mcp: [], run: [] }, ...expected });
  expect(request(`mcp call ${words} --mcp x`)).toEqual({ sources: { mcp: ["x"], run: [] }, ...expected });
});

verifies("command:arguments", "an argument may have any name", () => {
  expect(request("call t -- --d=e -h=i __proto__=x n:=5")).toMatchObject({
    given: [
      { name: "--d", text: "e" },
      { name: "-h", text: "i" },
      { name: "__proto__", text: "x" },
      { name: "n", value: 5 },
    ],
  });
});

verifies("command:grammar", "the words after -- are the prompt, whatever they are; no line throws", () => {
  const word = fc.oneof(fc.constantFrom("serve", "mcp", "--help", "-p", "@a", "--", "--mcp"), fc.string());
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (words) => {
      expect(parseArguments(["--", ...words], COMMANDS)).toMatchObject({
        kind: "session",
        invocation: { prompt: words.join(" "), attachments: [] },
      });
      expect(parseArguments(words, COMMANDS)).toHaveProperty("kind");
    }),
  );
});

verifies("command:aliases", "a line with an alias is the same line as with the own name", () => {
  const pairs = COMMANDS.flatMap(({ name, aliases = [] }) => aliases.map((alias) => [alias, name] as const));
  expect(pairs).toEqual(
    expect.arrayContaining([
      ["mcp rm", "mcp remove"],
      ["mcp delete", "mcp remove"],
      ["mcp ls", "mcp list"],
      ["sessions", "sessions list"],
    ]),
  );
  const taken = [...COMMANDS.map(({ name }) => name), ...pairs.map(([alias]) => alias)];
  expect(new Set(taken).size).toBe(taken.length);
  for (const [alias, name] of pairs) {
    // After the name of a family, a word is one of its commands.
    const withWords = alias.includes(" ") ? [" a", " a --cwd b"] : [];
    for (const rest of ["", ...withWords, " --cwd b", " --nope", " --help"])
      expect(parse(`${alias}${rest}`), alias).toEqual(parse(`${name}${rest}`));
    expect(parse(`help ${alias}`)).toEqual({ kind: "help", topic: name });
    expect(COMMANDS.find((command) => command.name === name)?.summary).toContain(alias);
  }
  // A word of another command is not one.
  expect(parse("call rm")).toMatchObject({ name: "call", request: { tool: "rm" } });
});

verifies("mcp-call:tool-flags", "our own flags win, wherever they stand; -- ends them", () => {
  const call = (line: string): object => request(`mcp call ${line}`);
  const two = { tool: "s__t", given: [{ name: "a", text: "2" }] };
  for (const line of ["s__t --a 2", "s__t --a=2", "--a 2 s__t", "s__t --json --a 2", "s__t -- --a 2"])
    expect(call(line), line).toMatchObject(two);
  expect(call("s t --a 2")).toMatchObject({ ...two, server: "s", tool: "t" });
  expect(call("s__t --timeout 2 --deep --mcp x --n -1")).toMatchObject({
    timeoutMs: 2000,
    sources: { mcp: ["x"] },
    given: [
      { name: "deep", value: true },
      { name: "n", text: "-1" },
    ],
  });
  expect(call("s__t -- --timeout 2 --json")).toMatchObject({
    json: false,
    given: [
      { name: "timeout", text: "2" },
      { name: "json", value: true },
    ],
  });
  expect(call("--a 2")).toMatchObject({ kind: "usage", problem: "mcp call needs the name of a tool" });
  expect(call("s__t --timeout --json")).toMatchObject({ kind: "usage" });
  expect(call("s__t -a 2")).toMatchObject({ kind: "usage", problem: 'unknown flag "-a" for mcp call' });
  // Only this command has such arguments.
  expect(request("mcp tools --a 2")).toMatchObject({ kind: "usage" });
});
