import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { scratchHome } from "./in-home.ts";

verifies("access:tokens", "add prints the token once; list and revoke show who has one", async () => {
  await using home = await scratchHome();
  expect(await home.indus("token", "list")).toMatchObject({
    code: 0,
    out: "there is no token in this folder; indus token add NAME makes one\n",
  });
  const added = await home.indus(
    "token",
    "add",
    "alice",
    "--servers",
    "notes,git",
    "--tools",
    "Web_Fetch,search,notes__*",
    "--calls",
    "4",
  );
  expect(added.code).toBe(0);
  const token = added.out.trim();
  expect(token).toMatch(/^indus_[0-9a-f]{10}_[A-Za-z0-9_-]{43}$/);
  expect(added.err).toBe(
    'indus: token alice: "notes__*" matches nothing that is known; indus mcp tools lists the tools\n' +
      'indus: this token for alice is not shown again; a client sends it in the header "Authorization: Bearer TOKEN"\n',
  );
  const json = JSON.parse((await home.indus("token", "add", "bob", "--json")).out) as {
    readonly token: string;
  };
  expect(json).toEqual({
    id: json.token.slice(6, 16),
    name: "bob",
    createdAt: expect.stringMatching(/^\d{4}-/),
    token: expect.stringMatching(/^indus_/),
  });
  const shown = await home.indus("token", "list");
  expect(shown.out.split("\n")[0]).toBe("NAME   ID          CREATED     CALLS  LISTING  ALLOWED");
  expect(shown.out).toMatch(/^alice .* 4 +search +servers notes, git; tools webfetch, notes__\*$/m);
  expect(shown.out).toMatch(/^bob .* any +- +everything$/m);
  const listed = await home.indus("token", "list", "--json");
  expect(JSON.parse(listed.out)).toMatchObject({ tokens: [{ name: "alice", calls: 4 }, { name: "bob" }] });
  for (const { out, err } of [shown, listed])
    for (const secret of [token, json.token]) expect(out + err).not.toContain(secret.slice(17));
  expect(listed.out).not.toContain("hash");
  const twice = await home.indus("token", "add", "alice");
  expect(twice).toMatchObject({
    code: 1,
    out: "",
    err: expect.stringContaining("there is a token named alice"),
  });
  const revoked = await home.indus("token", "revoke", "alice", token.slice(6, 16));
  expect(revoked).toMatchObject({ code: 0, out: `revoked token alice (${token.slice(6, 16)})\n`, err: "" });
  const gone = await home.indus("token", "revoke", "alice");
  expect(gone).toMatchObject({
    code: 1,
    err: expect.stringContaining('no token named "alice"; indus token list'),
  });
  expect(JSON.parse((await home.indus("token", "revoke", "bob", "--json")).out)).toMatchObject({
    revoked: [{ name: "bob" }],
  });
});
