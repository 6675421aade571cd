import type { ClientInfo, EconomyOptions } from "indusagi/runtime";
import { isClient } from "./client-names.ts";

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
