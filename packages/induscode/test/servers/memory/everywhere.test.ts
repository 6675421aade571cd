import { copyFileSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { type ScratchHome, scratchHome } from "../../commands/in-home.ts";

const SERVER = fileURLToPath(new URL("../../../../../test/servers/server.mjs", import.meta.url));

/** The names of the tools that a new folder knows without starting anything. */
async function knownIn(home: ScratchHome, folder: string): Promise<readonly string[]> {
  mkdirSync(home.at(folder), { recursive: true });
  const { out } = await home.indus("tools", "--json", "--cwd", home.at(folder));
  const cards = JSON.parse(out) as readonly { readonly name?: string; readonly id?: string }[];
  return cards.map(({ name, id }) => name ?? id ?? "").filter((name) => name.includes("__"));
}

verifies(
  "catalogue:everywhere",
  "what a server of the user offered in one folder is known in every other",
  async () => {
    await using home = await scratchHome();
    copyFileSync(SERVER, home.at("site", "server.mjs"));
    home.write(".config/indusvx/mcp.json", {
      mcpServers: {
        e: { command: process.execPath, args: [SERVER] },
        relative: { command: process.execPath, args: ["server.mjs"] },
      },
    });
    expect(await knownIn(home, "new")).toEqual([]);
    expect((await home.indus("mcp", "list")).code).toBe(0);
    const known = await knownIn(home, "new");
    expect(known).toContain("e__echo");
    expect(known.filter((name) => !name.startsWith("e__"))).toEqual([]);
    expect(await knownIn(home, "site")).toContain("relative__echo");
  },
);

verifies("catalogue:everywhere", "a row of a project is known in its folder only", async () => {
  await using home = await scratchHome();
  home.write("site/.indusvx/mcp.json", { mcpServers: { p: { command: process.execPath, args: [SERVER] } } });
  await home.indus("mcp", "trust", "p", "--yes");
  expect((await home.indus("mcp", "list")).code).toBe(0);
  expect(await knownIn(home, "site")).toContain("p__echo");
  home.write(".config/indusvx/mcp.json", {
    mcpServers: { p: { command: process.execPath, args: [SERVER] } },
  });
  expect(await knownIn(home, "new")).toEqual([]);
});

verifies(
  "catalogue:everywhere",
  "a folder pins what its own first listing says, not what another folder saw",
  async () => {
    await using home = await scratchHome();
    home.write(".config/indusvx/mcp.json", {
      mcpServers: { e: { command: process.execPath, args: [SERVER] } },
    });
    await home.indus("mcp", "list");
    expect(await knownIn(home, "new")).toContain("e__echo");
    const pinsOf = (folder: string): boolean => {
      const state = home.at(".local/state/indusvx");
      const workspace = readdirSync(state).find((name) => name.startsWith(`${folder}-`)) ?? "";
      return existsSync(join(state, workspace, "pins"));
    };
    expect([pinsOf("site"), pinsOf("new")]).toEqual([true, false]);
    await home.indus("mcp", "list", "--cwd", home.at("new"));
    expect(pinsOf("new")).toBe(true);
  },
);

verifies(
  "catalogue:values",
  "what a server offered with one token is known with that token only, also after another one was used",
  async () => {
    await using home = await scratchHome();
    const env = home.env as { TOKEN?: string };
    const args = [SERVER, "--name", "${TOKEN:-nobody}"];
    home.write(".config/indusvx/mcp.json", { mcpServers: { e: { command: process.execPath, args } } });
    const isKnown = async (token: string): Promise<boolean> => {
      env.TOKEN = token;
      return (await knownIn(home, "site")).length > 0;
    };
    for (const token of ["token-1", "token-2"]) {
      expect(await isKnown(token)).toBe(false);
      expect((await home.indus("mcp", "list")).code).toBe(0);
    }
    expect(await isKnown("token-1")).toBe(true);
    expect(await isKnown("token-2")).toBe(true);
    expect(await isKnown("token-3")).toBe(false);
  },
);
