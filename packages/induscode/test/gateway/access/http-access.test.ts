import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { type HttpAccessOptions, httpAccess, openTokenStore } from "../../../src/gateway/index.ts";

const options = (given: Partial<HttpAccessOptions>): HttpAccessOptions => ({
  host: "127.0.0.1",
  changes: false,
  env: {},
  report: () => {},
  ...given,
});

const refusal = (given: Partial<HttpAccessOptions>): string => {
  try {
    httpAccess(options(given));
    return "";
  } catch (thrown) {
    return (thrown as Error).message;
  }
};

verifies("command:token", "a token must be set, long enough and of the characters of a bearer token", () => {
  const refused = (token: string | undefined): string =>
    refusal({ tokenEnv: "T", env: token === undefined ? {} : { T: token } });
  for (const token of [undefined, ""])
    expect(refused(token)).toBe("--token-env: the variable T is not set; set it to the token");
  for (const token of [
    "fifteen-letters",
    "has a space in the middle",
    "line\nfeed-in-the-token",
    "=".repeat(20),
  ]) {
    expect(refused(token)).toMatch(
      /^--token-env: T does not hold a usable token; use at least 16 characters/,
    );
    expect(refused(token)).not.toContain(token);
  }
  for (const token of ["sixteen-letters!".replace("!", "."), "QUJDREVGR0hJSktMTU5PUA==", "a_b~c+d/e-f.0123"])
    expect(refused(token)).toBe("");
});

verifies("access:needed", "which gateways need a token, and what happens without one", async () => {
  await using dir = await tempDir();
  const store = openTokenStore(dir.path);
  const open =
    "serve --host 0.0.0.0 is open to other machines and needs a token: create one with indus token add NAME";
  const cases = (): unknown[] =>
    [
      {},
      { changes: true },
      { requireToken: true },
      { host: "0.0.0.0" },
      { host: "::" },
      { host: "[::1]" },
      { tokenEnv: "T", env: { T: "sixteen-letters." } },
    ].map((given) => {
      const problem = refusal({ ...given, store });
      if (problem !== "") return problem;
      const { admitsAnonymous, madeToken, verifier } = httpAccess(options({ ...given, store }));
      return [admitsAnonymous, madeToken !== undefined, verifier !== undefined];
    });
  expect(cases()).toEqual([
    [true, false, true],
    [false, true, true],
    expect.stringMatching(/^serve --require-token needs a token: create one with indus token add/),
    expect.stringContaining(open),
    expect.stringContaining("serve --host :: is open"),
    [true, false, true],
    [false, false, true],
  ]);
  await store.add("alice", {});
  expect(cases()).toEqual([
    [true, false, true],
    [false, false, true],
    [false, false, true],
    [false, false, true],
    [false, false, true],
    [true, false, true],
    [false, false, true],
  ]);
  expect(refusal({ host: "0.0.0.0" })).toContain("needs a token");
});
