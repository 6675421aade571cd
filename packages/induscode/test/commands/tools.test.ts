import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { capabilityCards, capabilityIds } from "../../src/deck/catalog/index.ts";
import { NATIVE_IDS, ON_REQUEST } from "../../src/launch/internal.ts";
import { scratchHome } from "./in-home.ts";
import { runLine } from "./run-line.ts";

verifies("listing:cards", "every card has a row, with what a session does with it", async () => {
  await using dir = await tempDir();
  const list = (...words: string[]) => runLine(dir, ["tools", ...words, "--cwd", dir.path]);
  const { code, out, err } = await list();
  expect([code, err]).toEqual([0, ""]);
  const rows = out.split("\n\n")[0]?.trim().split("\n").slice(1) ?? [];
  expect(rows.map((row) => row.split(" ")[0])).toEqual(capabilityIds());
  for (const row of rows)
    expect(row).toContain(ON_REQUEST.includes(row.split(" ")[0] ?? "") ? " on request " : " offered ");
  expect(out).toContain("on request: a session offers it only if --tools names it");
  const json = JSON.parse((await list("--json")).out) as { name: string; isOffered: boolean }[];
  expect(json.map(({ name }) => name)).toEqual(capabilityIds());
  expect(json.filter(({ isOffered }) => !isOffered).map(({ name }) => name)).toEqual(
    expect.arrayContaining([...ON_REQUEST]),
  );
  expect(NATIVE_IDS).toEqual(capabilityIds().slice(0, 12));
});

verifies(
  "listing:cards",
  "--tools with the name of a card shows that card, which is then offered",
  async () => {
    await using dir = await tempDir();
    for (const { id } of capabilityCards()) {
      const { out } = await runLine(dir, ["tools", "--tools", id, "--cwd", dir.path]);
      expect(out.split("\n")[1]).toMatch(new RegExp(`^${id} +(yes|nothing) +offered `));
      expect(out.trim().split("\n")).toHaveLength(2);
    }
    expect((await runLine(dir, ["tools", "--no-tools", "--cwd", dir.path])).out).toBe("");
  },
);

verifies(
  "listing:cards",
  "what a project's settings or a row with connectors change is marked too",
  async () => {
    await using home = await scratchHome();
    const offered = async (...words: string[]): Promise<string[]> => {
      const list = JSON.parse((await home.indus("tools", "--json", ...words)).out) as {
        name: string;
        isOffered: boolean;
      }[];
      return list.filter(({ isOffered }) => isOffered).map(({ name }) => name);
    };
    home.write(".config/indusvx/mcp.json", { servers: { crm: { command: "x", connectors: true } } });
    const usual = capabilityIds().filter((id) => !["todo", "bg-process"].includes(id));
    expect(await offered()).toEqual(usual);
    home.write("site/.indusvx/settings.json", { tools: ["Read", "notes__*"] });
    expect(await offered()).toEqual(["read"]);
    expect(await offered("--tools", "todo")).toEqual(["todo"]);
  },
);

verifies("listing:unknown-tools", "the line has every name, and the most similar one", async () => {
  await using dir = await tempDir();
  for (const words of [["tools"], ["mcp", "list"], ["serve", "--stdio"], ["-p", "hi"]]) {
    const ran = await runLine(dir, [...words, "--tools", "memroy"]);
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.err).toMatch(/^indus: --tools does not know "memroy"; .*; did you mean memory\?\n$/);
    for (const id of capabilityIds()) expect(ran.err).toContain(id);
    expect(ran.err).toContain("and patterns such as notes__*");
  }
});
