// The client of the AI SDK.
import { createMCPClient } from "@ai-sdk/mcp";
import { StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";

const open = ({ command, args }) => createMCPClient({ transport: new StdioMCPTransport({ command, args }) });

export async function connect(target) {
  const client = await open(target);
  const tools = await client.tools();
  const options = { messages: [], toolCallId: "1" };
  return { call: (name, input) => tools[name].execute(input, options), close: () => client.close() };
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
