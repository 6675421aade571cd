import {
  ProtocolFault,
  type ServerSession,
  type SkippedTool,
  type ToolDefinition,
} from "../../contract/index.ts";

/** The definitions a server lists, as it sent them, and the ones that cannot be used. */
export interface DefinitionListing {
  readonly definitions: readonly ToolDefinition[];
  readonly skipped: readonly SkippedTool[];
  readonly truncated: boolean;
}

export interface ListOptions {
  readonly server: string;
  /** For all pages together. */
  readonly listMs: number;
  readonly maxPages?: number;
  readonly maxTools?: number;
  readonly signal?: AbortSignal;
}

/** Reads all pages. A malformed tool is skipped and reported; a repeated cursor ends the listing. */
export async function listDefinitions(
  session: ServerSession,
  options: ListOptions,
): Promise<DefinitionListing> {
  const { maxPages = 1000, maxTools = 20_000 } = options;
  const found = new Map<string, ToolDefinition>();
  const skipped: SkippedTool[] = [];
  const cursors = new Set<string>();
  const deadlineMs = performance.now() + options.listMs;
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const { tools, nextCursor } = await requestPage(session, cursor, {
      ...options,
      listMs: deadlineMs - performance.now(),
    });
    for (const tool of tools) {
      if (found.size + skipped.length >= maxTools)
        return { definitions: [...found.values()], skipped, truncated: true };
      takeTool(tool, found, skipped);
    }
    if (nextCursor === undefined) return { definitions: [...found.values()], skipped, truncated: false };
    const flaw = cursorFlaw(nextCursor, cursors);
    if (flaw !== undefined) {
      skipped.push({ why: `page ${page + 1} ${flaw}; the listing ends there` });
      return { definitions: [...found.values()], skipped, truncated: true };
    }
    cursors.add(nextCursor);
    cursor = nextCursor;
  }
  return { definitions: [...found.values()], skipped, truncated: true };
}

/** Cursors are kept and sent back, so their length is limited. */
const MAX_CURSOR_CHARS = 16_384;

function cursorFlaw(cursor: string, earlier: ReadonlySet<string>): string | undefined {
  if (cursor.length > MAX_CURSOR_CHARS) return `has a cursor of ${cursor.length} characters`;
  return earlier.has(cursor) ? "leads back to an earlier page" : undefined;
}

interface Page {
  readonly tools: readonly unknown[];
  readonly nextCursor: string | undefined;
}

async function requestPage(
  session: ServerSession,
  cursor: string | undefined,
  { server, listMs, signal }: ListOptions,
): Promise<Page> {
  if (listMs <= 0)
    throw new ProtocolFault("timeout", `server "${server}" did not list all its tools in time`, { server });
  const params = cursor === undefined ? {} : { cursor };
  const result = (await session.request("tools/list", params, {
    timeoutMs: listMs,
    totalMs: listMs,
    ...(signal ? { signal } : {}),
  })) as {
    readonly tools?: unknown;
    readonly nextCursor?: unknown;
  };
  if (!Array.isArray(result.tools)) {
    throw new ProtocolFault("protocol", `server "${server}" answered tools/list without a list of tools`, {
      server,
    });
  }
  return {
    tools: result.tools,
    // Servers that send an empty cursor mean that there is no further page.
    nextCursor:
      typeof result.nextCursor === "string" && result.nextCursor !== "" ? result.nextCursor : undefined,
  };
}

function takeTool(tool: unknown, found: Map<string, ToolDefinition>, skipped: SkippedTool[]): void {
  const why = flawOf(tool);
  const name = typeof tool === "object" && tool !== null ? (tool as { name?: unknown }).name : undefined;
  const named = typeof name === "string" ? { name } : {};
  if (why !== undefined) skipped.push({ ...named, why });
  else if (found.has(String(name))) skipped.push({ ...named, why: "another tool has the same name" });
  else found.set(String(name), tool as ToolDefinition);
}

function flawOf(tool: unknown): string | undefined {
  if (typeof tool !== "object" || tool === null) return "it is not an object";
  const { name, inputSchema } = tool as { readonly name?: unknown; readonly inputSchema?: unknown };
  if (typeof name !== "string" || name === "") return "it has no name";
  if (typeof inputSchema !== "object" || inputSchema === null || Array.isArray(inputSchema))
    return "its inputSchema is not a schema";
  return undefined;
}
