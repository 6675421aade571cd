import { createMCPServer } from "indusagi/mcp";

// A server on standard input and output that says on standard error when its session has ended.
const server = createMCPServer({
  name: "program",
  description: "Echoes.",
  tools: [
    {
      name: "echo",
      parameters: {},
      execute: async (_id, { msg }) => ({ content: [{ type: "text", text: String(msg) }] }),
    },
    {
      name: "stop",
      parameters: {},
      execute: async () => {
        setTimeout(() => void server.stop(), 10);
        return { content: [{ type: "text", text: "stopping" }] };
      },
    },
  ],
});
await server.startStdio();
process.stderr.write("the session has ended\n");
