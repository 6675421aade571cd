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

verifies("house:cli", "the version is that of the manifest", () => {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    readonly version: string;
  };
  for (const flag of ["--version", "-v"])
    expect(indus(flag)).toEqual({ code: 0, out: `${version}\n`, err: "" });
});

verifies("house:cli", "the tools are printed as a table of twelve rows, or as JSON", () => {
  const { code, out } = indus("tools");
  expect(code).toBe(0);
  expect(out.split("\n")[0]).toMatch(/^TOOL +CHANGES +ARGUMENTS +WHAT IT DOES$/);
  expect(out.trim().split("\n")).toHaveLength(13);
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
    expect(indus("call", "read", "path=package.json", "nonsense=1")).toEqual({
      code: 1,
      out: "",
      err: 'indus: read takes no argument "nonsense"; it takes path, offset, limit\n',
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

verifies("house:cli", "wrong usage is one line on standard error and exit code 2", () => {
  for (const [args, problem] of [
    [["frobnicate"], 'unknown command "frobnicate"'],
    [["call"], "call needs the name of a tool"],
    [["call", "read", "path"], '"path" is not of the form name=value'],
    [["tools", "--yaml"], 'unknown flag "--yaml" for tools'],
  ] as const) {
    expect(indus(...args)).toEqual({ code: 2, out: "", err: `indus: ${problem}; see indus --help\n` });
  }
  expect(indus("--help").out).toContain("indus call TOOL");
});

verifies("command:suggestion", "a similar command or flag is suggested", () => {
  for (const [args, line] of [
    [["sevre"], 'unknown command "sevre"; did you mean serve?'],
    [["mcp", "lst"], 'unknown command "mcp lst"; did you mean list?'],
    [["serve", "--sdtio"], 'unknown flag "--sdtio" for serve; did you mean --stdio?'],
    [["serve", "--token=hunter2"], 'unknown flag "--token" for serve; did you mean --token-env?'],
  ] as const)
    expect(indus(...args)).toEqual({ code: 2, out: "", err: `indus: ${line}\n` });
});
