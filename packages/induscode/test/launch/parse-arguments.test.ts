import { verifies } from "@indus/testkit";
import { parseArguments } from "induscode/launch";
import { expect } from "vitest";

const parse = (line: string): object => parseArguments(line === "" ? [] : line.split(" "));

verifies(
  "command:arguments",
  "flags stand anywhere after their command, joined to their value or not",
  () => {
    expect(parse("mcp list a b --mcp x")).toMatchObject({ mcp: ["x"], names: ["a", "b"] });
    expect(parse("mcp list --mcp=a.json --json --mcp b.json")).toEqual({
      command: "mcp list",
      mcp: ["a.json", "b.json"],
      names: [],
      json: true,
      exitCode: false,
      verbose: false,
    });
    expect(parse('mcp call --timeout 1.5 s__t a=1=2 b:={"c":[]} --mcp x -- --d=e')).toEqual({
      command: "mcp call",
      tool: "s__t",
      mcp: ["x"],
      json: false,
      check: true,
      timeoutMs: 1500,
      given: [
        { name: "a", text: "1=2" },
        { name: "b", value: { c: [] } },
        { name: "--d", text: "e" },
      ],
    });
    expect(parse("serve --port 0 --host 10.0.0.1 --token-env T --cwd /x")).toEqual({
      command: "serve",
      transport: { kind: "http", port: 0, host: "10.0.0.1", tokenEnv: "T" },
      mcp: [],
      demo: false,
      withParent: false,
      cwd: "/x",
    });
    expect(parse("serve --demo")).toMatchObject({ transport: { kind: "http" }, demo: true });
    expect(parse("serve --stdio --demo")).toMatchObject({ transport: { kind: "stdio" }, demo: true });
    expect(parse("serve --port 1 --port 2")).toMatchObject({ transport: { port: 2 } });
    expect(parse("serve --stdio --cwd=--odd")).toMatchObject({ cwd: "--odd" });
  },
);

verifies(
  "command:arguments",
  "no words list the tools; help and the version are found in every spelling",
  () => {
    expect(parse("")).toEqual({ command: "tools", json: false });
    expect(parse("tools --json")).toEqual({ command: "tools", json: true });
    for (const line of ["--version", "-v"]) expect(parse(line)).toEqual({ command: "version" });
    for (const line of ["help", "--help", "-h", "nonsense --help", "--json -h"])
      expect(parse(line), line).toEqual({ command: "help" });
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
      expect(parse(line), line).toEqual({ command: "help", topic });
  },
);

verifies("command:arguments", "a line that cannot be carried out is one problem that names the word", () => {
  for (const [line, problem] of [
    ["call --json", "call needs the name of a tool"],
    ["call --mcp x", 'unknown flag "--mcp" for call'],
    ["call t --args []", "--args takes one JSON object"],
    ["call read -x", 'unknown flag "-x" for call'],
    ["call read --token=hunter2", 'unknown flag "--token" for call'],
    ["call read -phunter2", 'unknown flag "-p" for call'],
    ["--json", 'unknown flag "--json" for indus'],
    ["tools x", 'tools takes no argument "x"'],
    ["--version now", 'indus takes no argument "now"'],
    ["mcp", "mcp needs one of list, call, warm"],
    ["mcp add", 'unknown command "mcp add"'],
    ["mcp list", "mcp list needs --mcp FILE"],
    ["mcp list --mcp", "--mcp needs a value: --mcp FILE"],
    ["mcp list --mcp=", "--mcp needs a value: --mcp FILE"],
    ["mcp list --mcp --json", "--mcp needs a value: --mcp FILE"],
    ["mcp list --mcp a --json=1", "--json takes no value"],
    ["mcp call --mcp a", "mcp call needs the name of a tool"],
    ["mcp call t", "mcp call needs --mcp FILE"],
    ["mcp call t x --mcp a", '"x" is not of the form name=value'],
    ["mcp call t x:=y --mcp a", 'the text after "x:=" is not JSON'],
    ["mcp call t --args [] --mcp a", "--args takes one JSON object"],
    ["mcp call t --timeout soon --mcp a", "--timeout takes a number of seconds up to 86400, for example 30"],
    ["mcp call t --timeout 0 --mcp a", "--timeout takes a number of seconds up to 86400, for example 30"],
    ["serve", "serve needs --stdio or --port N or --demo"],
    ["serve --stdio --port 1", "serve takes --stdio or --port, not both"],
    ["serve --port 65536", "--port takes a whole number from 0 to 65535"],
    ["serve --port 1 x", 'serve takes no argument "x"'],
    [
      "serve --port 1 --host 0.0.0.0",
      "serve --host 0.0.0.0 is open to other machines and needs --token-env VAR",
    ],
    ["serve --demo --host ::1", "serve takes --demo or --host, not both"],
    ["serve --port 1 --token=hunter2", 'unknown flag "--token" for serve'],
    ["serve --port 1 --toString", 'unknown flag "--toString" for serve'],
    ["serve --port 1 --__proto__=x", 'unknown flag "--__proto__" for serve'],
  ] as const)
    expect(parse(line), line).toMatchObject({ command: "usage", problem });
});

verifies("command:arguments", "an unknown word is reported with the words that are known there", () => {
  expect(parse("sevre")).toMatchObject({
    unknown: {
      word: "sevre",
      known: ["tools", "call", "mcp", "mcp list", "mcp call", "mcp warm", "serve", "help"],
    },
  });
  expect(parse("help sevre")).toMatchObject({ command: "usage", unknown: { word: "sevre" } });
  expect(parse("help mcp lst")).toMatchObject({ command: "usage", unknown: { word: "lst" } });
  expect(parse("mcp lst")).toMatchObject({ unknown: { word: "lst", known: ["list", "call", "warm"] } });
  expect(parse("mcp list --jsno")).toMatchObject({
    unknown: { word: "--jsno", known: ["--json", "--mcp", "--exit-code", "--verbose"] },
  });
});

verifies("command:call-options", "call takes the options of mcp call", () => {
  const request = {
    tool: "t",
    given: [
      { name: "a", value: 1 },
      { name: "b", text: "2" },
    ],
    json: true,
    check: false,
    timeoutMs: 2000,
  };
  const words = 't b=2 --args {"a":1} --json --no-check --timeout 2';
  expect(parse(`call ${words}`)).toEqual({ command: "call", ...request });
  expect(parse(`mcp call ${words} --mcp x`)).toEqual({ command: "mcp call", mcp: ["x"], ...request });
});

verifies("command:arguments", "an argument may have any name", () => {
  expect(parse("call t -- --d=e -h=i __proto__=x n:=5")).toMatchObject({
    given: [
      { name: "--d", text: "e" },
      { name: "-h", text: "i" },
      { name: "__proto__", text: "x" },
      { name: "n", value: 5 },
    ],
  });
});
