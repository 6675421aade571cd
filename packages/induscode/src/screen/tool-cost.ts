/** What listing tools costs in each request to a model, in estimated tokens. */
export interface ShownToolCost {
  /** How tools are listed: `all`, `search`, `auto` or `code`. */
  readonly mode: string;
  readonly tools: number;
  readonly tokens: number;
  readonly listed: number;
  readonly listedTokens: number;
  readonly searchTokens: number;
}

/** Above this many tokens, suggest the search: a tenth of a typical context. */
const MANY_TOKENS = 20_000;

/** One line about what the tools cost, and what listing fewer saves. */
export function showToolCost(cost: ShownToolCost): string {
  const { mode, tools, tokens, listed, listedTokens } = cost;
  const count = `${amount(tools)} ${tools === 1 ? "tool" : "tools"}`;
  if (listedTokens < tokens)
    return `lists ${amount(listed)} tools instead of ${amount(tools)}: about ${amount(listedTokens)} tokens in each request instead of ${amount(tokens)} (estimate; --tools ${mode})`;
  const all = `lists ${count}: about ${amount(tokens)} tokens in each request (estimate)`;
  if (mode === "auto") return `${all}; a client with a lower limit gets a search (--tools auto)`;
  return tokens > MANY_TOKENS ? `${all}; ${amount(cost.searchTokens)} with --tools search` : all;
}

function amount(value: number): string {
  return value.toLocaleString("en-US");
}
