import {
  type InjectedTransport,
  linkedTransports,
  type ProtocolEra,
  type RpcMessage,
} from "indusagi/interop";

/** What an app server knows about its client, in the order in which it was declared. */
type Declared = { readonly method: string; readonly extensions: unknown };

export interface AppServer {
  readonly transport: InjectedTransport;
  /** The `extensions` of every message that declared capabilities. */
  readonly declared: readonly Declared[];
}

const UI = "io.modelcontextprotocol/ui";
const PAGE = "ui://chart/view.html";
const CAPABILITIES = {
  tools: {},
  resources: {},
  experimental: { secret: {} },
  extensions: { [UI]: {}, "com.example/x": { level: 1 }, "io.modelcontextprotocol/auth/dpop": {} },
};

const TOOLS = [
  {
    name: "show",
    inputSchema: { type: "object" },
    _meta: { ui: { resourceUri: PAGE }, "ui/resourceUri": PAGE },
  },
  { name: "plain", inputSchema: { type: "object" } },
  {
    name: "zoom",
    inputSchema: { type: "object" },
    _meta: { ui: { resourceUri: PAGE, visibility: ["app"] } },
  },
];

/** A server with an app whose page is in no list. Speaks one era, by hand: it shows what is on the wire. */
export function appServer(name: string, era: ProtocolEra): AppServer {
  const [ours, theirs] = linkedTransports();
  const declared: Declared[] = [];
  theirs.onmessage = ({ id, method = "", params = {} }: RpcMessage) => {
    const meta = params["_meta"] as { readonly [key: string]: unknown } | undefined;
    const capabilities = (meta?.["io.modelcontextprotocol/clientCapabilities"] ?? params["capabilities"]) as
      | { readonly extensions?: unknown }
      | undefined;
    if (capabilities) declared.push({ method, extensions: capabilities.extensions });
    if (id === undefined) return;
    const answer = answerOf(name, era, method, params);
    void theirs.send({ jsonrpc: "2.0", id, ...answer } as RpcMessage).catch(() => {});
  };
  void theirs.start();
  return { transport: ours, declared };
}

function answerOf(
  name: string,
  era: ProtocolEra,
  method: string,
  params: { readonly [name: string]: unknown },
): object {
  const done = era === "modern" ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {};
  const serverInfo = { name, version: "1" };
  switch (method) {
    case "server/discover":
      return era === "modern"
        ? { result: { ...done, supportedVersions: ["2026-07-28"], capabilities: CAPABILITIES, serverInfo } }
        : { error: { code: -32601, message: "unknown method" } };
    case "initialize":
      return { result: { protocolVersion: "2025-11-25", capabilities: CAPABILITIES, serverInfo } };
    case "tools/list":
      return { result: { ...done, tools: TOOLS } };
    case "tools/call":
      return {
        result: {
          ...done,
          content: [{ type: "text", text: `${name} ${String(params["name"])}` }],
          _meta: { ui: { resourceUri: `ui://chart/${String(params["name"])}.html` } },
        },
      };
    case "resources/list":
      return { result: { ...done, resources: [] } };
    case "resources/templates/list":
      return { result: { ...done, resourceTemplates: [] } };
    case "resources/read":
      return {
        result: {
          ...done,
          contents: [{ uri: params["uri"], mimeType: "text/html;profile=mcp-app", text: `<p>${name}</p>` }],
        },
      };
    case "com.example/echo":
      return {
        result: {
          ...done,
          server: name,
          got: params["text"],
          meta: (params["_meta"] as object | undefined) ?? {},
        },
      };
    default:
      return { error: { code: -32601, message: "unknown method" } };
  }
}
