import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { unpassedVariables } from "../../../../src/interop/endpoint/faults/unpassed-variables.ts";
import { passVariables } from "../../../../src/interop/endpoint/index.ts";

const ours = {
  FOO_API_KEY: "s3cret-value",
  TOKEN: "t0ken-value",
  HOME: "/home/me",
  EMPTY_KEY: "",
  PWD: "/x",
  A_B: "1",
  C_D: "2",
  E_F: "3",
};

verifies(
  "diagnose:variables",
  "a variable counts if the text names it, we have it, and the process did not get it",
  () => {
    const table: readonly (readonly [string, object, readonly string[]])[] = [
      ["Missing API key: set FOO_API_KEY", {}, ["FOO_API_KEY"]],
      ["KeyError: 'FOO_API_KEY'", {}, ["FOO_API_KEY"]],
      ["$FOO_API_KEY is empty", { FOO_API_KEY: "given" }, []],
      ["MY_FOO_API_KEY and FOO_API_KEYS are missing", {}, []],
      ["OTHER_KEY is not set", {}, []],
      ["EMPTY_KEY is not set", {}, []],
      ["HOME and PWD must be set", {}, []],
      ["the environment variable TOKEN is required", {}, ["TOKEN"]],
      ["INVALID TOKEN AT LINE 3", {}, []],
      ["set A_B, C_D, E_F and FOO_API_KEY", {}, ["A_B", "C_D", "E_F"]],
    ];
    for (const [line, rowEnv, names] of table)
      expect(unpassedVariables([line], rowEnv as Record<string, string>, ours), line).toEqual(names);
  },
);

verifies("diagnose:variables", "the remedy shows what to write, without a value", () => {
  expect(passVariables(["FOO_API_KEY"], "it's")).toBe(
    'FOO_API_KEY is set in your environment but not passed on to it: add "env": { "FOO_API_KEY": "${FOO_API_KEY}" } to its configuration, or run: indus mcp env \'it\'\\\'\'s\' FOO_API_KEY',
  );
  expect(passVariables(["A", "B"])).toContain(
    'A, B are set in your environment but not passed on to it: add "env": { "A": "${A}", "B": "${B}" }',
  );
});
