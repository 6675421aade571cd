import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const bin = fileURLToPath(new URL("../../bin/indus.js", import.meta.url));

function indus(...args: string[]): {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
} {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    cwd: root,
    encoding: "utf8",
    timeout: 15_000,
  });
  return { code: status, out: stdout, err: stderr };
}

const NO_SESSION = "a prompt needs -p, which answers it and exits, or -i, which keeps the conversation open";

verifies("house:cli", "the version is that of the manifest", () => {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    readonly version: string;
  };
  for (const flag of ["--version", "-v"])
    expect(indus(flag)).toEqual({ code: 0, out: `${version}\n`, err: "" });
});

verifies("house:cli", "the tools are printed as a table of nineteen rows, or as JSON", () => {
  const { code, out } = indus("tools");
  expect(code).toBe(0);
  expect(out.split("\n")[0]).toMatch(/^TOOL +CHANGES +IN A SESSION +ARGUMENTS +WHAT IT DOES$/);
  expect(out.split("\n\n")[0]?.trim().split("\n")).toHaveLength(20);
  const tools = JSON.parse(indus("tools", "--json").out) as readonly { readonly name: string }[];
  expect(tools.map((tool) => tool.name).slice(0, 2)).toEqual(["read", "ls"]);
});

verifies(
  "house:cli",
  "a call prints its answer; a failed call prints it to standard error and exits with 1",
  () => {
    const read = indus("call", "read", "path=package.json", "limit=2");
    expect(read.code).toBe(0);
    expect(read.out).toMatch(
      /^package\.json: lines 1-2 of \d+ \(\d+ more; continue with offset=3\)\n {5}1\t\{\n/,
    );
    expect(indus("call", "read", "path=packag.json")).toEqual({
      code: 1,
      out: "",
      err: "read: there is no packag.json; did you mean package.json or packages?\n",
    });
    const hint = "indus tools lists the tools";
    expect(indus("call", "nope")).toEqual({
      code: 1,
      out: "",
      err: `indus: there is no tool named "nope"; ${hint}\n`,
    });
    expect(indus("call", "raed").err).toBe('indus: there is no tool named "raed"; did you mean read?\n');
  },
);

const READ_TAKES = "it takes: read(path: string, offset?: integer, limit?: integer)";

verifies("command:check", "arguments that do not fit the schema are exit code 2, with the signature", () => {
  for (const [args, problem] of [
    [["path=package.json", "nonsense=1"], '"nonsense" is not an argument of this tool'],
    [["limit=1"], '"path" is missing'],
    [["path=package.json", "limit=many"], '"limit" must be a whole number, got "many"'],
  ] as const)
    expect(indus("call", "read", ...args)).toEqual({
      code: 2,
      out: "",
      err: `indus: read: ${problem}; ${READ_TAKES}\n`,
    });
  expect(indus("call", "read", "path=package.json", "limit=1", "nonsense=1", "--no-check").code).toBe(0);
});

verifies("command:call-options", "a native tool takes --args, --json and --timeout", () => {
  const json = indus("call", "read", "--args", '{"path":"package.json","limit":9}', "limit=1", "--json");
  expect(json.code).toBe(0);
  expect(JSON.parse(json.out)).toMatchObject({ isError: false, content: [{ kind: "text" }] });
  expect(json.out).toContain("lines 1-1 of");
  expect(indus("call", "bash", "command=sleep 20", "--timeout", "0.5")).toEqual({
    code: 1,
    out: "",
    err: "indus: no answer from bash within 500 ms; allow more time with --timeout\n",
  });
});

verifies("house:cli", "wrong usage is one line on standard error and exit code 2", () => {
  for (const [args, problem, help] of [
    [["frobnicate"], NO_SESSION, "--help"],
    [
      ["--model", "x"],
      "the interactive mode needs a terminal; use -p for one prompt, or --rpc for another program",
      "--help",
    ],
    [["--", "serve", "it"], NO_SESSION, "--help"],
    [["mcp", "frobnicate"], 'unknown command "mcp frobnicate"', "help mcp"],
    [["call"], "call needs the name of a tool", "help call"],
    [["call", "read", "path"], '"path" is not of the form name=value', "help call"],
    [["tools", "--yaml"], 'unknown flag "--yaml" for tools', "help tools"],
  ] as const) {
    expect(indus(...args)).toEqual({ code: 2, out: "", err: `indus: ${problem}; see indus ${help}\n` });
  }
  expect(indus("help", "call").out).toMatch(/^ {2}indus call TOOL \[name=value …\]/);
});

verifies("command:help-groups", "a bare family prints its menu and exits with 0", () => {
  const menu = indus("mcp");
  expect(menu).toEqual({ ...indus("mcp", "--help"), code: 0, err: "" });
  expect(menu.out).toMatch(/^Everyday:\n {2}mcp list {2}[^]*\nRepair:\n {2}mcp doctor {2}/);
});

verifies("command:suggestion", "a similar command or flag is suggested", () => {
  for (const [args, line] of [
    [["sevre"], 'unknown command "sevre"; did you mean serve?'],
    [
      ["list"],
      'unknown command "list"; did you mean mcp list or token list or config list or sessions list?',
    ],
    [
      ["--thinking", "hihg"],
      '--thinking takes one of off, minimal, low, medium, high, xhigh, not "hihg"; did you mean high?',
    ],
    [["help", "sevre"], 'unknown command "sevre"; did you mean serve?'],
    [["mcp", "lst"], 'unknown command "mcp lst"; did you mean list?'],
    [["serve", "--http"], 'unknown flag "--http" for serve; did you mean --port N?'],
    [["serve", "--sdtio"], 'unknown flag "--sdtio" for serve; did you mean --stdio?'],
    [
      ["serve", "--token=hunter2"],
      'unknown flag "--token" for serve; did you mean --require-token or --token-env?',
    ],
  ] as const)
    expect(indus(...args)).toEqual({ code: 2, out: "", err: `indus: ${line}\n` });
});

verifies("command:help", "help for a command, coloured if that is forced", () => {
  const plain = indus("mcp", "call", "--help");
  expect(plain).toEqual({ ...indus("help", "mcp", "call"), code: 0, err: "" });
  expect(plain.out).toMatch(/^ {2}indus mcp call \[SERVER\] TOOL/);
  expect(plain.out).toContain("--no-check");
  expect(plain.out).not.toContain("--stdio");
});
