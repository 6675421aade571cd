/** What one or several rooms may import of the same package. */
export interface Row {
  /** Folders of `src/`. A file belongs to the room with the longest name that matches its path. */
  readonly rooms: readonly string[];
  /** Folders of `src/`, with all that is inside. The rooms of a row may always import themselves and each other. */
  readonly imports: readonly string[];
}

export const FRAMEWORK: readonly Row[] = [
  { rooms: ["core"], imports: [] },
  { rooms: ["llm"], imports: ["core"] },
  { rooms: ["runtime"], imports: ["core", "llm"] },
  { rooms: ["capabilities"], imports: ["core", "llm", "runtime"] },
  { rooms: ["interop/contract"], imports: ["core", "llm", "runtime"] },
  {
    rooms: ["interop/content", "interop/naming", "interop/schema"],
    imports: ["interop/contract", "core", "llm", "runtime"],
  },
  { rooms: ["interop/wire", "interop/network"], imports: ["interop/contract", "core", "runtime"] },
  { rooms: ["interop/auth"], imports: ["interop/contract", "interop/network", "core"] },
  {
    rooms: ["interop/endpoint"],
    imports: [
      "interop/contract",
      "interop/content",
      "interop/schema",
      "interop/naming",
      "interop/wire",
      "interop/network",
      "core",
      "llm",
      "runtime",
    ],
  },
  {
    rooms: ["interop/fleet", "interop/bridge"],
    imports: ["interop/contract", "interop/content", "interop/endpoint", "core", "llm", "runtime"],
  },
  {
    rooms: ["interop/host"],
    imports: [
      "interop/contract",
      "interop/content",
      "interop/schema",
      "interop/wire",
      "core",
      "llm",
      "runtime",
    ],
  },
  {
    rooms: ["interop/relay"],
    imports: [
      "interop/contract",
      "interop/content",
      "interop/naming",
      "interop/wire",
      "interop/endpoint",
      "interop/fleet",
      "interop/host",
      "core",
      "llm",
      "runtime",
    ],
  },
  { rooms: ["interop/skills"], imports: ["interop/contract", "interop/content", "core"] },
  { rooms: ["interop"], imports: ["interop"] },
  { rooms: ["config"], imports: ["core", "interop/contract"] },
  { rooms: ["mcp"], imports: ["interop", "config", "core", "llm", "runtime"] },
];

export const PRODUCT: readonly Row[] = [
  { rooms: ["launch", "state", "screen", "models"], imports: [] },
  // What the thin client of a background gateway loads: Node's modules only.
  { rooms: ["background/link"], imports: [] },
  { rooms: ["background/shim"], imports: ["background/link"] },
  { rooms: ["background/hub"], imports: ["background/link", "screen", "state"] },
  { rooms: ["background"], imports: ["background/hub", "background/link", "boot"] },
  // Its public names include those of approvals and pins.
  { rooms: ["deck"], imports: ["servers/pins", "servers/trust", "state"] },
  // It asks where the state folder is, to protect it from commands.
  { rooms: ["policy"], imports: ["background/link", "deck/contract", "state"] },
  { rooms: ["briefing"], imports: ["deck/contract", "policy"] },
  { rooms: ["servers"], imports: ["background", "boot", "deck", "launch", "policy", "screen", "state"] },
  { rooms: ["gateway"], imports: ["boot", "deck", "launch", "policy", "screen", "servers", "state"] },
  { rooms: ["console"], imports: ["boot", "gateway", "screen", "servers", "state"] },
  { rooms: ["cluster"], imports: ["boot", "deck", "gateway", "launch", "servers", "state"] },
  // A session gets its tools and its model. Only what opens it knows of servers.
  { rooms: ["conductor"], imports: ["deck/contract", "policy", "state"] },
  {
    rooms: ["conductor/open"],
    imports: [
      "boot",
      "briefing",
      "conductor",
      "deck",
      "launch",
      "models",
      "policy",
      "screen",
      "servers",
      "state",
    ],
  },
  { rooms: ["front"], imports: ["boot", "conductor", "policy", "screen", "servers"] },
  {
    rooms: ["boot"],
    imports: [
      "background/hub",
      "conductor/open",
      "deck",
      "gateway",
      "launch",
      "policy",
      "screen",
      "servers",
      "state",
    ],
  },
  {
    rooms: ["commands"],
    imports: [
      "background",
      "background/hub",
      "background/link",
      "boot",
      "cluster",
      "conductor",
      "console",
      "front",
      "gateway",
      "launch",
      "screen",
      "servers",
      "state",
    ],
  },
  { rooms: ["bin"], imports: ["boot", "commands", "launch", "screen"] },
];

/** Which libraries a room may import. All rooms except the pure ones may import Node's own modules. */
export const LIBRARIES: { readonly [room: string]: readonly string[] } = {
  core: ["fastest-levenshtein", "re2js"],
  runtime: [
    "@jitl/quickjs-wasmfile-release-sync",
    "@jridgewell/sourcemap-codec",
    "minisearch",
    "quickjs-emscripten-core",
    "sucrase",
  ],
  capabilities: [
    "@vscode/ripgrep",
    "diff",
    "fastest-levenshtein",
    "htmlparser2",
    "picomatch",
    "turndown",
    "undici",
  ],
  "interop/network": ["undici"],
  "interop/auth": ["@modelcontextprotocol/client"],
  "interop/endpoint": ["@modelcontextprotocol/client"],
  "interop/host": ["@modelcontextprotocol/server"],
  "interop/skills": ["yaml"],
  config: ["jsonc-parser"],
  servers: ["smol-toml"],
  cluster: ["@nats-io/jetstream", "@nats-io/kv", "@nats-io/transport-node"],
  gateway: ["prom-client"],
  front: ["@agentclientprotocol/sdk"],
  models: [
    "@ai-sdk/anthropic",
    "@ai-sdk/google",
    "@ai-sdk/openai",
    "@ai-sdk/openai-compatible",
    "@ai-sdk/provider",
  ],
};

/** Rooms that import neither libraries nor Node modules. */
export const PURE_ROOMS = [
  "llm/contract",
  "runtime/contract",
  "interop/contract",
  "interop/schema",
  "interop/naming",
  "interop/content",
];
