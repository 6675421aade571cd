import type { ClientInfo, EconomyOptions } from "indusagi/runtime";

interface ToolLimit {
  readonly names: readonly string[];
  readonly tools: number;
}

/** The most tools that clients use, by `clientInfo.name`. They refuse or silently drop the rest. */
const TOOL_LIMITS: readonly ToolLimit[] = [
  // It was 40 and is 80 now; the name and version that Cursor sends do not tell which.
  { names: ["cursor*"], tools: 40 },
  // github.com/microsoft/vscode: "Cannot have more than 128 tools per request", the limit of the model's API.
  { names: ["visual-studio-code*", "vscode*", "github-copilot*"], tools: 128 },
];

/** A tenth of a context of 200,000 tokens: above it Claude Code defers tools. */
const MAX_TOKENS = 20_000;

/** The numbers of tools and tokens above which a client is better served by a search. */
export function clientLimits(client?: ClientInfo): Required<NonNullable<EconomyOptions["above"]>> {
  const known = TOOL_LIMITS.find(({ names }) => isClient(client, names));
  return { tools: known?.tools ?? Infinity, tokens: MAX_TOKENS };
}

/**
 * Whether a client has one of these names, in lower case with `-` for spaces. A name that ends in `*` is a prefix.
 */
function isClient(client: ClientInfo | undefined, names: readonly string[]): boolean {
  const own = client?.name.toLowerCase().replaceAll(" ", "-") ?? "";
  return names.some((name) => (name.endsWith("*") ? own.startsWith(name.slice(0, -1)) : own === name));
}

/**
 * Clients that ask for the tools again after `notifications/tools/list_changed`, by `clientInfo.name`.
 *
 * All others keep their first list for the whole session. Among them are Codex (`codex-mcp-client`, which has no handler for
 * it), Claude Desktop (`claude-ai`: github.com/anthropics/claude-code/issues/50339) and Cursor (`cursor-vscode`, older
 * versions), so an unknown client is treated as one of them.
 */
const FOLLOWS_CHANGES: readonly string[] = [
  // Since 2.1.0: github.com/modelcontextprotocol/modelcontextprotocol/pull/2063
  "claude-code",
  // packages/core/src/tools/mcp-client.ts of google-gemini/gemini-cli; newer versions append the name of the server.
  "gemini-cli-mcp-client*",
  // packages/opencode/src/mcp/index.ts of sst/opencode: publishes ToolsChanged.
  "opencode",
  // code.visualstudio.com/api/extension-guides/ai/mcp, "Dynamic tool discovery".
  "visual-studio-code*",
];

/** Short: the client fetches the rest later. Headless Claude Code gives a server about 2 s before its first turn. */
const FOLLOWING_MS = 1_500;
/** Long: what is missing now is missing for the whole session. Below 30 s, after which many clients give up. */
const KEEPING_MS = 20_000;

/** How long a client's first listing may wait for starting servers. */
export function listingPatienceMs(client?: ClientInfo): number {
  return isClient(client, FOLLOWS_CHANGES) ? FOLLOWING_MS : KEEPING_MS;
}
