import type { ClientInfo } from "indusagi/runtime";
import { isClient } from "./client-names.ts";

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
