// The client of the first SDK.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

async function open({ command, args }) {
  const client = new Client({ name: "bench", version: "1.0.0" });
  // Its limit of 10 MB is raised: it would end the connection.
  await client.connect(new StdioClientTransport({ command, args, maxBufferSize: 1e9 }));
  return client;
}

export async function connect(target) {
  const client = await open(target);
  return {
    call: (name, input) => client.callTool({ name, arguments: input }),
    close: () => client.close(),
  };
}

export async function listed(target) {
  const client = await open(target);
  const { tools } = await client.listTools();
  return { count: tools.length, close: () => client.close() };
}

export async function mount({ count, ...target }) {
  const all = await Promise.all(Array.from({ length: count }, () => listed(target)));
  return { close: () => Promise.all(all.map(({ close }) => close())) };
}
