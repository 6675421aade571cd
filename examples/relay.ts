// Resources and prompts of many MCP servers. A broken server has an entry with its fault; the others are read.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
// #region relay
import { createRelay, startServerFleet } from "indusagi/interop";

// #endregion
const everything = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
);

// #region relay
const fleet = await startServerFleet({
  servers: [
    { kind: "stdio", id: "everything", command: process.execPath, args: [everything, "stdio"] },
    { kind: "stdio", id: "broken", command: "no-such-command" },
  ],
});
const relay = createRelay(fleet);
const prompts = await relay.list("prompts");
for (const { server, items, fault } of prompts) console.log(server, items.length, fault?.message ?? "");

const uri = "demo://resource/dynamic/text/7";
const { servers } = await relay.ownersOf(uri); // The servers that list it, or have a template for it.
const page = await relay.readResource(servers[0] ?? "", uri, { timeoutMs: 5000 });
const prompt = await relay.getPrompt("everything", { name: "args-prompt", args: { city: "Oslo" } });
await fleet.tearDown();
// #endregion

console.log(page, prompt);
assert.deepEqual(servers, ["everything"]);
assert.match(JSON.stringify(page), /Resource 7/);
assert.match(JSON.stringify(prompt), /Oslo/);
assert.ok(prompts.find(({ server }) => server === "broken")?.fault);
