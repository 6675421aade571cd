import { verifies } from "@indus/testkit";
import type { CallerAbilities } from "indusagi/runtime";
import { expect } from "vitest";
import { upstreamFailure } from "../../../src/interop/wire/index.ts";

verifies(
  "routes:missing-capability",
  "only a client that lacks the capability gets the error as it is",
  () => {
    const codeFor = (required: object, can: CallerAbilities): number =>
      upstreamFailure({ code: -32_021, message: "missing", data: { requiredCapabilities: required } }, can)
        .code;
    expect(codeFor({ sampling: {} }, {})).toBe(-32_021);
    expect(codeFor({ sampling: {} }, { sample: {} })).toBe(-32_603);
    expect(codeFor({ roots: {} }, { sample: {} })).toBe(-32_021);
    expect(codeFor({ elicitation: {} }, { elicit: { form: true } })).toBe(-32_603);
    expect(codeFor({ elicitation: { url: {} } }, { elicit: { form: true } })).toBe(-32_021);
    expect(codeFor({ extensions: {} }, {})).toBe(-32_603);
    const other = { code: -32_602, message: "wrong", data: { a: 1 } };
    expect(upstreamFailure(other, {})).toMatchObject(other);
    expect(upstreamFailure({ code: -32_021, message: "missing" }, {}).code).toBe(-32_603);
  },
);
