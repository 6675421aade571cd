import { nextTurn } from "../../../core/internal.ts";
import {
  type CacheHint,
  type Extensions,
  ProtocolFault,
  type RemoteTool,
  type ServerSession,
  type SkippedTool,
  type ToolDefinition,
  type ToolListing,
  toolFromLink,
} from "../../contract/index.ts";
import { type DescribeOptions, describeTool } from "./describe-tool.ts";
import { readPages } from "./read-pages.ts";

/** More tools than this are not read. */
const MAX_TOOLS = 20_000;

export interface ListToolsOptions extends DescribeOptions {
  /** For all pages together. */
  readonly listMs: number;
  readonly signal: AbortSignal;
  /** Declared to a modern server. */
  readonly extensions?: Extensions | undefined;
  /** They are listed over a link. */
  readonly isLinked?: boolean | undefined;
}

/** Lists a server's tools, and the ones that cannot be used. A server without the tools capability is not asked. */
export async function listTools(session: ServerSession, options: ListToolsOptions): Promise<ToolListing> {
  if (session.capabilities["tools"] === undefined) return { tools: [], skipped: [], truncated: false };
  try {
    const listed = await listDefinitions(session, options);
    // Reading many tools takes one turn, describing them another, so calls wait for only one of them.
    await nextTurn();
    const tools: RemoteTool[] = [];
    const skipped = [...listed.skipped];
    for (const definition of listed.definitions) {
      const tool = describeTool(definition, options);
      if ("ref" in tool) tools.push(tool);
      else skipped.push(tool);
    }
    return { tools, skipped, truncated: listed.truncated, hint: listed.hint };
  } catch (thrown) {
    throw asListFault(options.server, thrown);
  }
}

/** The tools in definitions that were listed earlier and stored. Unusable ones are left out. */
export function toolsFromDefinitions(
  given: readonly unknown[],
  options: DescribeOptions,
): readonly RemoteTool[] {
  const described = usableDefinitions(given).map((definition) => describeTool(definition, options));
  return described.flatMap((tool) => ("ref" in tool ? [tool] : []));
}

/** A timeout stays a timeout and a lost connection stays a transport fault; any other failed listing is `protocol`. */
function asListFault(server: string, thrown: unknown): unknown {
  if (!(thrown instanceof ProtocolFault) || thrown.kind !== "tool_error") return thrown;
  const message = `server "${server}" could not list its tools: ${thrown.message}`;
  return new ProtocolFault("protocol", message, { ...thrown.details, cause: thrown });
}

/** The definitions as the server sent them, and the ones that cannot be used. */
interface DefinitionListing {
  readonly definitions: readonly ToolDefinition[];
  readonly skipped: readonly SkippedTool[];
  readonly truncated: boolean;
  readonly hint: CacheHint | undefined;
}

/** Reads all pages. A malformed tool is skipped and reported. */
async function listDefinitions(
  session: ServerSession,
  options: ListToolsOptions,
): Promise<DefinitionListing> {
  const { server, listMs, signal, extensions, isLinked } = options;
  const found = new Definitions();
  const { skipped } = found;
  const { isComplete, flaw, hint } = await readPages(
    (params, remainingMs) =>
      session.request("tools/list", params, {
        timeoutMs: remainingMs,
        totalMs: remainingMs,
        signal,
        extensions,
      }),
    {
      server,
      method: "tools/list",
      member: "tools",
      timeoutMs: listMs,
      onPage: (tools) =>
        tools.every((tool) => {
          if (found.usable.length + skipped.length >= MAX_TOOLS) return false;
          found.take(isLinked ? toolFromLink(tool) : tool);
          return true;
        }),
    },
  );
  if (flaw !== undefined) skipped.push({ why: flaw });
  return { definitions: found.usable, skipped, truncated: !isComplete, hint };
}

/** The usable definitions, without duplicates. */
function usableDefinitions(given: readonly unknown[]): readonly ToolDefinition[] {
  const found = new Definitions();
  for (const tool of given) found.take(tool);
  return found.usable;
}

class Definitions {
  readonly usable: ToolDefinition[] = [];
  readonly skipped: SkippedTool[] = [];
  readonly #names = new Set<string>();

  take(tool: unknown): void {
    const why = flawOf(tool);
    if (why === undefined) {
      const { name } = tool as ToolDefinition;
      if (this.#names.has(name)) this.skipped.push({ name, why: "another tool has the same name" });
      else this.usable.push(tool as ToolDefinition);
      this.#names.add(name);
      return;
    }
    const name = typeof tool === "object" && tool !== null ? (tool as { name?: unknown }).name : undefined;
    this.skipped.push(typeof name === "string" ? { name, why } : { why });
  }
}

function flawOf(tool: unknown): string | undefined {
  if (typeof tool !== "object" || tool === null) return "it is not an object";
  const { name, inputSchema } = tool as { readonly name?: unknown; readonly inputSchema?: unknown };
  if (typeof name !== "string" || name === "") return "it has no name";
  if (typeof inputSchema !== "object" || inputSchema === null || Array.isArray(inputSchema))
    return "its inputSchema is not a schema";
  return undefined;
}
