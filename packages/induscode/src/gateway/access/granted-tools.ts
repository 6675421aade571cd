import type { ToolDescriptor } from "indusagi/llm";
import { isMountedPattern } from "../../launch/internal.ts";
import { parseToolPattern } from "../../policy/internal.ts";
import type { TokenGrant } from "./token-record.ts";

/** Decides what a token may use. */
export interface GrantedTools {
  /** Whether the token has no limits. */
  readonly allowsAll: boolean;
  readonly tool: (tool: Pick<ToolDescriptor, "name" | "origin">) => boolean;
  /** Whether prompts, resources and everything else of a server may be used. */
  readonly server: (id: string) => boolean;
  /** Whether a server may be used without a limit on its tools. */
  readonly wholeServer: (id: string) => boolean;
}

/**
 * What a grant allows. A limited token gets the native tools that `tools` names, and the tools of the servers in `servers`,
 * narrowed by the patterns in `tools` that contain `__`, if any. Without `servers`, these patterns also select the servers: a
 * list of only native tools allows no server. `approved`: the ids of the servers among which a pattern must be unambiguous.
 */
export function grantedBy(
  { servers, tools = [] }: TokenGrant,
  approved: () => readonly string[] | undefined = () => undefined,
): GrantedTools {
  const patterns = tools.map(parseToolPattern);
  const mounted = patterns.filter(({ text }) => isMountedPattern(text));
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
    allowsAll: !isLimited,
    server,
    wholeServer: (id) => mounted.length === 0 && server(id),
    tool: (tool) => {
      if (!tool.origin) return !isLimited || isMatched(tool);
      if (mounted.length === 0) return server(tool.origin.server);
      return (servers?.includes(tool.origin.server) ?? true) && isMatched(tool);
    },
  };
}
