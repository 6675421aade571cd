// Many servers: they connect in parallel, and a broken one does not affect the others.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
// #region pool
import { MCPClientPool } from "indusagi/mcp";

// #endregion
const publicServer = (name: string): string =>
  fileURLToPath(import.meta.resolve(`@modelcontextprotocol/${name}/dist/index.js`));

// #region pool
const pool = new MCPClientPool({
  servers: [
    { name: "fs", config: { command: process.execPath, args: [publicServer("server-filesystem"), "."] } },
    { name: "broken", config: { command: "no-such-command" } },
  ],
});
await pool.connectAll();
for (const { name, connected, toolCount, error } of await pool.getStatus())
  console.log(name, connected, toolCount ?? error);

const everything = { command: process.execPath, args: [publicServer("server-everything"), "stdio"] };
await pool.addServer({ name: "everything", config: everything });
const sum = await pool.getClient("everything")?.callTool("get-sum", { a: 2, b: 40 });
const box = pool.toolBox(); // All tools in one box, for an agent loop or an adapter.
const outcome = await box.runner.run({ id: "1", name: "fs_list_directory", input: { path: "." } });
await pool.disconnectAll();
// #endregion

assert.match(JSON.stringify(sum?.content), /42/);
assert.equal(outcome.isError, false);
