import { verifies } from "@indus/testkit";
import { parseArguments } from "induscode/launch";
import { expect } from "vitest";

const parse = (line: string): object => parseArguments(line === "" ? [] : line.split(" "));

verifies(
  "command:arguments",
  "flags stand anywhere after their command, joined to their value or not",
  () => {
    expect(parse("mcp list --mcp=a.json --json --mcp b.json")).toEqual({
      command: "mcp list",
      mcp: ["a.json", "b.json"],
      json: true,
    });
    expect(parse('mcp call --timeout 1.5 s__t a=1=2 b:={"c":[]} --mcp x -- --d=e')).toEqual({
      command: "mcp call",
      tool: "s__t",
      mcp: ["x"],
      json: false,
      timeoutMs: 1500,
      given: [
        { name: "a", text: "1=2" },
        { name: "b", value: { c: [] } },
        { name: "--d", text: "e" },
      ],
    });
    expect(parse("serve --port 0 --host 10.0.0.1 --token-env T --cwd /x")).toEqual({
      command: "serve",
      way: { kind: "http", port: 0, host: "10.0.0.1", tokenEnv: "T" },
      mcp: [],
      demo: false,
      cwd: "/x",
    });
    expect(parse("serve --demo")).toMatchObject({ way: { kind: "http" }, demo: true });
    expect(parse("serve --stdio --demo")).toMatchObject({ way: { kind: "stdio" }, demo: true });
    for (const line of ["tools --help", "call -h", "call read --help", "mcp --help", "mcp call -h"])
      expect(parse(line)).toEqual({ command: "help" });
    for (const line of ["serve --port 1 --help", "--help"]) expect(parse(line)).toEqual({ command: "help" });
  },
);

verifies("command:arguments", "what makes no sense is one problem that names it", () => {
  for (const [line, problem] of [
    ["call --json", 'call takes no "--json"'],
    ["call read -x", 'call takes no "-x"'],
    ["call read --token=hunter2", 'call takes no "--token"'],
    ["mcp", "mcp needs list or call"],
    ["mcp add", 'mcp knows no "add"'],
    ["mcp list", "mcp list needs --mcp FILE"],
    ["mcp list --mcp", "mcp list needs a value after --mcp"],
    ["mcp list --mcp --json", "mcp list needs a value after --mcp"],
    ["mcp list x --mcp a", 'mcp list takes no "x"'],
    ["mcp list --mcp a --json=1", "mcp list takes --json without a value"],
    ["mcp call --mcp a", "mcp call needs the name of a tool"],
    ["mcp call t", "mcp call needs --mcp FILE"],
    ["mcp call t x --mcp a", '"x" is not of the form name=value'],
    ["mcp call t x:=y --mcp a", 'what follows "x:=" is no JSON'],
    ["mcp call t --args [] --mcp a", "--args takes one JSON object"],
    ["mcp call t --timeout soon --mcp a", "--timeout takes seconds, as in --timeout 30"],
    ["serve", "serve needs --stdio or --port N"],
    ["serve --stdio --port 1", "serve takes --stdio or --port, not both"],
    ["serve --port 65536", "--port takes a number from 0 to 65535"],
    ["serve --port 1 x", 'serve takes no "x"'],
    ["serve --port 1 --host 0.0.0.0", "serve --host 0.0.0.0 is open to others and needs --token-env VAR"],
    [
      "serve --demo --host ::1",
      "serve --demo stays on this machine and takes neither --host nor --token-env",
    ],
    ["serve --port 1 --token=hunter2", 'serve takes no "--token"'],
    ["serve --port 1 --toString", 'serve takes no "--toString"'],
  ] as const)
    expect(parse(line)).toEqual({ command: "usage", problem });
});

verifies("command:arguments", "an argument may have any name", () => {
  const invocation = parseArguments(["call", "t", "__proto__=x", 'list=["a"]', "n:=5"]);
  const { input } = invocation as { readonly input: object };
  expect(parse("call t -- --d=e -h=i")).toMatchObject({ input: { "--d": "e", "-h": "i" } });
  expect(Object.entries(input)).toEqual([
    ["__proto__", "x"],
    ["list", ["a"]],
    ["n", 5],
  ]);
});
