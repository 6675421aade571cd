// A server with an app, made with the official library for MCP Apps, over stdio.
//   node apps.mjs legacy|modern
// Its tool answers with a text to clients that do not declare the extension.
import {
  getUiCapability,
  RESOURCE_MIME_TYPE,
  registerAppResource,
  registerAppTool,
} from "@modelcontextprotocol/ext-apps/server";
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const PAGE = "ui://clock/view.html";

function create() {
  const server = new McpServer(
    { name: "clock", version: "1.0.0" },
    { capabilities: { extensions: { "io.modelcontextprotocol/ui": {} } } },
  );
  registerAppTool(
    server,
    "clock",
    { description: "Shows a clock.", _meta: { ui: { resourceUri: PAGE } } },
    async (ctx) => {
      const declared = ctx?.mcpReq?.envelope?.["io.modelcontextprotocol/clientCapabilities"];
      const ui = getUiCapability(declared ?? server.server.getClientCapabilities());
      return { content: [{ type: "text", text: ui ? `a page: ${ui.mimeTypes?.join(" ")}` : "12:00" }] };
    },
  );
  registerAppTool(
    server,
    "set",
    {
      description: "Sets the clock.",
      inputSchema: z.object({ time: z.string() }),
      _meta: { ui: { resourceUri: PAGE, visibility: ["app"] } },
    },
    async ({ time }) => ({ content: [{ type: "text", text: `set to ${time}` }] }),
  );
  registerAppResource(server, "Clock", PAGE, { description: "The page of the clock." }, async () => ({
    contents: [
      {
        uri: PAGE,
        mimeType: RESOURCE_MIME_TYPE,
        text: "<h1>Clock</h1>",
        _meta: {
          ui: { csp: { connectDomains: ["https://time.example.test"] }, permissions: { clipboardWrite: {} } },
        },
      },
    ],
  }));
  return server;
}

if (process.argv[2] === "legacy") await create().connect(new StdioServerTransport());
else serveStdio(create, { legacy: "reject" });
