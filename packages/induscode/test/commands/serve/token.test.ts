import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { scriptedRow } from "../../bin/run-indus.ts";
import { scratchHome } from "../in-home.ts";

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
    err: expect.stringContaining("there is already a token named alice"),
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

verifies(
  "policy:unmatched",
  "--tools and token add report words that match nothing, from the listed and the remembered tools",
  async () => {
    await using home = await scratchHome();
    const rows = { s: scriptedRow(), s__x: { command: "nothing", enabled: false } };
    home.write(".config/indusvx/mcp.json", { servers: rows });
    const nothing = "matches nothing that is known; did you mean";
    const before = await home.indus("token", "add", "early", "--tools", "s__ehco");
    expect(before.err).not.toContain(nothing);
    const listed = await home.indus("mcp", "tools", "--tools", "s__echo,s__ehco,t__*,s__x__y");
    expect(listed.out).toMatch(/^s__echo/);
    expect(
      listed.err
        .split("\n")
        .filter((line) => line.includes("--tools"))
        .sort(),
    ).toEqual([
      `indus: --tools: "s__ehco" ${nothing} s__echo?`,
      'indus: --tools: "s__x__y" means x__y of server s or y of server s__x, so it allows nothing; rename one of these servers',
      `indus: --tools: "t__*" ${nothing} s__…?`,
    ]);
    const after = await home.indus("token", "add", "late", "--tools", "s__ehco,s__echo,read");
    expect(after).toMatchObject({ code: 0, out: expect.stringMatching(/^indus_/) });
    expect(after.err.split("\n").filter((line) => line.includes("known"))).toEqual([
      `indus: token late: "s__ehco" ${nothing} s__echo?`,
    ]);
    const bad = await home.indus("token", "add", "bad", "--tools", "b__(");
    expect(bad).toMatchObject({ code: 2, out: "" });
    expect(bad.err).toContain('--tools does not know "b__("');
  },
);
