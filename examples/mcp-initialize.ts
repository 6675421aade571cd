// From configuration files to registered tools in one call.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
// #region initialize
import { type AgentTool, initializeMCP, saveProjectConfig } from "indusagi/mcp";

// #endregion
const folder = await mkdtemp(join(tmpdir(), "indus-example-"));
// A separate home folder, so that this example does not start your own servers.
process.env["HOME"] = folder;
process.env["XDG_CONFIG_HOME"] = folder;
const server = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-memory/dist/index.js"));

// #region initialize
saveProjectConfig({ servers: { memory: { command: process.execPath, args: [server] } } }, folder);

const tools = new Map<string, () => AgentTool>();
const registry = {
  register: ({ name }: { readonly name: string }, make: () => AgentTool) => tools.set(name, make),
};
const untrusted = await initializeMCP(registry, folder);
console.log(untrusted.toolCount, untrusted.notices); // 0: project servers start only in a trusted folder.

const { pool, toolCount } = await initializeMCP(registry, folder, { trustProject: true });
const graph = await tools.get("memory_read_graph")?.().execute("call-1", {});
console.log(toolCount, graph?.content);
await pool.disconnectAll();
// #endregion

await rm(folder, { recursive: true });
assert.equal(untrusted.toolCount, 0);
assert.equal(toolCount, tools.size);
assert.equal(graph?.isError, false);
