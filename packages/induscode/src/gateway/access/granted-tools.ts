import type { ToolDescriptor } from "indusagi/llm";
import { parseRule, type Rule } from "../../policy/index.ts";
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
 * which servers are meant: a list of nothing but our own tools allows no server.
 */
export function grantedBy({ servers, tools = [] }: TokenGrant): Granted {
  const rules = rulesOf(tools);
  const patterns = tools.filter((word) => word.includes(SEPARATOR));
  const named = rulesOf(patterns.map((word) => `${serverPart(word)}${SEPARATOR}*`));
  const isLimited = servers !== undefined || tools.length > 0;
  const server = (id: string): boolean => {
    if (servers) return servers.includes(id);
    return tools.length === 0 || isMatched(named, { name: "", origin: { server: id, tool: "" } });
  };
  return {
    isWhole: !isLimited,
    server,
    tool: (tool) => {
      if (!tool.origin) return !isLimited || isMatched(rules, tool);
      return server(tool.origin.server) && (patterns.length === 0 || isMatched(rules, tool));
    },
  };
}

function rulesOf(words: readonly string[]): readonly Rule[] {
  return words.flatMap((word) => parseRule(word, "allow").rule ?? []);
}

function isMatched(
  rules: readonly Rule[],
  { name, origin }: Pick<ToolDescriptor, "name" | "origin">,
): boolean {
  return rules.some((rule) => rule.matchesTool({ tool: name, ...(origin ? { origin } : {}) }));
}

/** As a rule splits it: the id of a server may contain `__`. */
function serverPart(word: string): string {
  return word.slice(0, word.lastIndexOf(SEPARATOR));
}
