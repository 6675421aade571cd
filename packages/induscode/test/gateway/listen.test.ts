import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { prepareHttp } from "../../src/gateway/index.ts";

verifies("command:token", "a token must be set, long enough and of the characters of a bearer token", () => {
  const refusal = (token: string | undefined): string => {
    try {
      prepareHttp({ port: 0, tokenEnv: "T" }, token === undefined ? {} : { T: token });
      return "";
    } catch (thrown) {
      return (thrown as Error).message;
    }
  };
  for (const token of [undefined, ""])
    expect(refusal(token)).toBe("--token-env: the variable T is not set; put the token into it");
  for (const token of [
    "fifteen-letters",
    "has a space in the middle",
    "line\nfeed-in-the-token",
    "=".repeat(20),
  ]) {
    expect(refusal(token)).toMatch(
      /^--token-env: T does not hold a usable token; use at least 16 characters/,
    );
    expect(refusal(token)).not.toContain(token);
  }
  for (const token of ["sixteen-letters!".replace("!", "."), "QUJDREVGR0hJSktMTU5PUA==", "a_b~c+d/e-f.0123"])
    expect(refusal(token)).toBe("");
});
