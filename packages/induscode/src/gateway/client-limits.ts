import type { ClientInfo, EconomyOptions } from "indusagi/runtime";
import { isClient } from "./client-names.ts";

/** A client that stops at a number of tools. */
interface ToolLimit {
  readonly names: readonly string[];
  readonly tools: number;
}

/** The most tools that clients use, by `clientInfo.name`. Further tools are refused, or left out without a word. */
const TOOL_LIMITS: readonly ToolLimit[] = [
  // It was 40 for long and is 80 now; the name and version that Cursor sends do not tell which.
  { names: ["cursor*"], tools: 40 },
  // github.com/microsoft/vscode: "Cannot have more than 128 tools per request", the limit of the model's API.
  { names: ["visual-studio-code*", "vscode*", "github-copilot*"], tools: 128 },
];

/** The share of a context of 200,000 tokens above which Claude Code defers tools: a tenth. */
const MAX_TOKENS = 20_000;

/** Above what a client is better served by a search: the tools that it can use, and the tokens that it can spare. */
export function clientLimits(client?: ClientInfo): Required<NonNullable<EconomyOptions["above"]>> {
  const known = TOOL_LIMITS.find(({ names }) => isClient(client, names));
  return { tools: known?.tools ?? Infinity, tokens: MAX_TOKENS };
}
