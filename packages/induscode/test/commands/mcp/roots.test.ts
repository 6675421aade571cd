import { writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { scratchHome } from "../in-home.ts";
import { calling, printRun } from "../session/print-run.ts";

const SERVER = fileURLToPath(new URL("../../../../../test/servers/server.mjs", import.meta.url));
const EVERYTHING = fileURLToPath(
  new URL(
    "../../../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js",
    import.meta.url,
  ),
);

for (const era of ["legacy", "modern"])
  verifies(
    "command:roots",
    `mcp call offers the folder to a ${era} server that asks during a call`,
    async () => {
      await using home = await scratchHome();
      const row = { command: process.execPath, args: [SERVER, "--era", era] };
      home.write(".config/indusvx/mcp.json", { mcpServers: { e: row } });
      const { code, out } = await home.indus("mcp", "call", "e__roots");
      expect({ code, out }).toMatchObject({
        code: 0,
        out: expect.stringContaining(pathToFileURL(home.project).href),
      });
    },
  );

verifies("command:roots", "a server that asks while it starts gets the folder too", async () => {
  await using home = await scratchHome();
  home.write(".config/indusvx/mcp.json", {
    mcpServers: { e: { command: process.execPath, args: [EVERYTHING] } },
  });
  const { out } = await home.indus("mcp", "call", "e__get-roots-list");
  expect(out).toContain(pathToFileURL(home.project).href);
});

verifies("command:roots", "a prompt with -p offers its folder", async () => {
  await using test = await printRun([calling(["s__roots", {}]), { text: "Done." }]);
  const row = { command: process.execPath, args: [SERVER, "--era", "legacy"] };
  writeFileSync(test.at("servers.json"), JSON.stringify({ mcpServers: { s: row } }));
  const { code } = await test.indus(["-p", "--mcp", test.at("servers.json"), "Go."]);
  expect(code).toBe(0);
  expect(JSON.stringify(test.server.requests)).toContain(pathToFileURL(test.project).href);
});
