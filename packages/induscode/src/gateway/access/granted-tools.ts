import type { ToolDescriptor } from "indusagi/llm";
import { parseToolPattern } from "../../policy/internal.ts";
import type { TokenGrant } from "./token-record.ts";

/** What a token may use, as questions. */
export interface Granted {
  /** Whether there is no list: everything may be used. */
  readonly isWhole: boolean;
  readonly tool: (tool: Pick<ToolDescriptor, "name" | "origin">) => boolean;
  /** Whether prompts, resources and everything else of a server may be used. */
  readonly server: (id: string) => boolean;
}

const SEPARATOR = "__";

/**
 * What a grant allows. Of our own tools a limited token gets those that `tools` names. Of the tools of servers it gets those of
 * `servers`, and of these only what the words of `tools` with `__` match, if there are any. Without `servers`, these words say
 * which servers are meant: a list of nothing but our own tools allows no server. `approved`: the ids of the servers among which
 * a word must be clear.
 */
export function grantedBy(
  { servers, tools = [] }: TokenGrant,
  approved: () => readonly string[] | undefined = () => undefined,
): Granted {
  const patterns = tools.map(parseToolPattern);
  const mounted = patterns.filter(({ text }) => text.includes(SEPARATOR));
  const isLimited = servers !== undefined || tools.length > 0;
  const isMatched = ({ name: tool, origin }: Pick<ToolDescriptor, "name" | "origin">): boolean =>
    origin
      ? mounted.some((pattern) => pattern.grants({ tool, origin }, approved()))
      : patterns.some((pattern) => pattern.grants({ tool }));
  const server = (id: string): boolean => {
    if (servers) return servers.includes(id);
    return tools.length === 0 || mounted.some((pattern) => pattern.grantsServer(id, approved()));
  };
  return {
    isWhole: !isLimited,
    server,
    tool: (tool) => {
      if (!tool.origin) return !isLimited || isMatched(tool);
      if (mounted.length === 0) return server(tool.origin.server);
      return (servers?.includes(tool.origin.server) ?? true) && isMatched(tool);
    },
  };
}
