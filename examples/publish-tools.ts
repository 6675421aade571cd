// Publishes native tools as an MCP server and connects to it in the same process. Use this to test your own server.
import assert from "node:assert/strict";
import { toolBox } from "indusagi/capabilities";
import { createProviderHost, createServerEndpoint, linkedTransports } from "indusagi/interop";

await using box = toolBox("read-only", process.cwd());
const host = createProviderHost(box, { name: "my-tools", version: "1.0.0" });

const [clientSide, serverSide] = linkedTransports();
const running = await host.connect(serverSide);

const endpoint = createServerEndpoint({ kind: "stdio", id: "mine", command: "(in process)" }, clientSide);
await endpoint.open();
const tools = await endpoint.listTools();
assert.equal(tools.length, 7);
const { content, isError } = await endpoint.invoke("read", { path: "package.json", limit: 2 });
assert.equal(isError, false);
console.log(content);

await endpoint.close();
await running.waiting();
