import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { COMMANDS } from "../../../src/commands/index.ts";
import { parseArguments } from "../../../src/launch/internal.ts";

const parse = (line: string): object => {
  const parsed = parseArguments(line.split(" "), COMMANDS);
  return parsed.kind === "command" ? parsed.request : parsed;
};

verifies("command:arguments", "the words of mcp log, watch and doctor", () => {
  expect(parse("mcp log")).toEqual({ lines: 200, follow: false, json: false });
  expect(parse("mcp log notes -f --lines 5 --json")).toEqual({
    server: "notes",
    lines: 5,
    follow: true,
    json: true,
  });
  const sources = { mcp: ["a.json"], run: [] };
  for (const name of ["watch", "doctor"])
    expect(parse(`mcp ${name} notes units --json --mcp a.json`)).toEqual({
      sources,
      names: ["notes", "units"],
      json: true,
    });
  expect(parse("mcp log a b")).toMatchObject({
    kind: "usage",
    problem: 'mcp log takes one server, not also "b"',
  });
  for (const count of ["0", "-1", "1.5", "many"])
    expect(parse(`mcp log --lines=${count}`)).toMatchObject({
      kind: "usage",
      problem: expect.stringContaining("--lines takes a whole number from 1 on"),
    });
});
