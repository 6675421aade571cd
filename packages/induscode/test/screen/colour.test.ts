import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { hasColours } from "../../src/screen/internal.ts";

verifies("command:colours", "the environment decides before the kind of output", () => {
  for (const [env, isScreen, expected] of [
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: "1" }, true, false],
    [{ NO_COLOR: "" }, true, true],
    [{ TERM: "dumb" }, true, false],
    [{ FORCE_COLOR: "1" }, false, true],
    [{ FORCE_COLOR: "0" }, true, false],
    [{ FORCE_COLOR: "1", NO_COLOR: "1" }, false, true],
  ] as const)
    expect(hasColours(env, isScreen), JSON.stringify(env)).toBe(expected);
});
