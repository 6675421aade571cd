import { canonicalJson, describeError, Listeners } from "../../core/index.ts";
import { isProtocolFault, type RemoteTool } from "../../interop/index.ts";
import type { ToolDescriptor } from "../../llm/index.ts";
import {
  abortedOutcome,
  type Caller,
  faultOutcome,
  foldContent,
  type ToolBox,
  type ToolBoxChange,
  type ToolCall,
  type ToolFault,
  type ToolOutcome,
  unknownToolOutcome,
} from "../../runtime/index.ts";
import { callTool, coreOf, listRemoteTools, type MCPClient } from "../client/index.ts";
import type { MCPContentBlock } from "../contract/index.ts";
import { isMCPError } from "../errors/index.ts";
import { mintedToolName } from "../tools/tool-names.ts";
import { fromMcpContent } from "../translate/index.ts";

interface PooledTool {
  readonly client: MCPClient;
  /** The name at its server. */
  readonly tool: string;
  readonly descriptor: ToolDescriptor;
}

/**
 * The tools of a pool's connected clients as one box, under the names of minted tools. It follows the pool; `refresh`
 * is for whoever knows that something has changed.
 */
export class PoolToolBox implements ToolBox {
  readonly #clients: () => readonly MCPClient[];
  readonly #listed = new WeakMap<MCPClient, readonly PooledTool[]>();
  readonly #lastAsked = new WeakMap<MCPClient, object>();
  readonly #listeners = new Listeners<ToolBoxChange>();
  #tools: ReadonlyMap<string, PooledTool> = new Map();
  #descriptors: readonly ToolDescriptor[] = Object.freeze([]);

  constructor(clients: () => readonly MCPClient[]) {
    this.#clients = clients;
  }

  readonly runner = {
    run: (call: ToolCall, signal?: AbortSignal, caller?: Caller): Promise<ToolOutcome> => {
      const tool = this.#tools.get(call.name);
      if (!tool) return Promise.resolve(unknownToolOutcome(call.id, call.name));
      return runPooled(tool, call, signal, caller);
    },
  };

  descriptors(): readonly ToolDescriptor[] {
    return this.#descriptors;
  }

  onChange(listener: (change: ToolBoxChange) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Makes the box what the clients offer now, each as soon as it has said so. Never rejects. */
  async refresh(): Promise<void> {
    this.#rebuild();
    await Promise.all(this.#clients().map((client) => this.#relist(client)));
  }

  async #relist(client: MCPClient): Promise<void> {
    const asked = {};
    this.#lastAsked.set(client, asked);
    const tools = await listPooled(client);
    // Asked once more meanwhile, perhaps on another connection: that answer counts.
    if (this.#lastAsked.get(client) !== asked) return;
    this.#listed.set(client, tools);
    this.#rebuild();
  }

  #rebuild(): void {
    const offered = this.#clients().flatMap((client) =>
      client.connected ? (this.#listed.get(client) ?? []) : [],
    );
    this.#replace(new Map(offered.map((tool) => [tool.descriptor.name, tool])));
  }

  #replace(next: ReadonlyMap<string, PooledTool>): void {
    const before = this.#tools;
    const tools = new Map(
      [...next].map(([name, tool]) => {
        const old = before.get(name);
        return [name, old && isSame(old, tool) ? old : tool] as const;
      }),
    );
    this.#tools = tools;
    const change = {
      added: pick(tools, (name) => !before.has(name)),
      changed: pick(tools, (name, tool) => before.has(name) && before.get(name) !== tool),
      removed: pick(before, (name) => !tools.has(name)),
    };
    if (change.added.length + change.changed.length + change.removed.length === 0) return;
    this.#descriptors = Object.freeze([...tools.values()].map(({ descriptor }) => descriptor));
    this.#listeners.emit(change);
  }
}

function pick(
  tools: ReadonlyMap<string, PooledTool>,
  isWanted: (name: string, tool: PooledTool) => boolean,
): ToolDescriptor[] {
  return [...tools].filter(([name, tool]) => isWanted(name, tool)).map(([, { descriptor }]) => descriptor);
}

/** A client that cannot list has no tools to offer; its status says why. */
async function listPooled(client: MCPClient): Promise<PooledTool[]> {
  if (!client.connected) return [];
  const tools = await listRemoteTools(coreOf(client)).catch((): readonly RemoteTool[] => []);
  return tools.map(({ ref, descriptor }) => ({
    client,
    tool: ref.name,
    descriptor: { ...descriptor, name: mintedToolName(client.serverName, ref.name) },
  }));
}

function isSame(a: PooledTool, b: PooledTool): boolean {
  return (
    a.client === b.client && canonicalJson(a.descriptor.definition) === canonicalJson(b.descriptor.definition)
  );
}

async function runPooled(
  { client, tool }: PooledTool,
  call: ToolCall,
  signal: AbortSignal | undefined,
  caller: Caller | undefined,
): Promise<ToolOutcome> {
  if (signal?.aborted) return abortedOutcome(call.id, call.name, false);
  try {
    const answer = await callTool(coreOf(client), {
      name: tool,
      args: call.input,
      ...(signal ? { signal } : {}),
      ...(caller ? { caller } : {}),
      ...(call.meta ? { meta: call.meta } : {}),
    });
    const content = fromMcpContent(answer.content as readonly MCPContentBlock[]);
    return {
      id: call.id,
      output: foldContent(content),
      isError: answer.isError,
      result: {
        content,
        ...(answer.isError ? { isError: true } : {}),
        ...(answer.structuredContent === undefined ? {} : { structured: answer.structuredContent }),
        ...(answer.meta === undefined ? {} : { meta: answer.meta }),
      },
      wire: answer.wire,
      ...(answer.suspended ? { suspended: answer.suspended } : {}),
    };
  } catch (thrown) {
    if (signal?.aborted) return abortedOutcome(call.id, call.name, true);
    return failed(call.id, client.serverName, thrown);
  }
}

function failed(id: string, server: string, thrown: unknown): ToolOutcome {
  return faultOutcome(id, describeError(thrown), faultOf(server, thrown));
}

/** The fault beneath the error says more than its code, unless it is an old one that ended the connection. */
function faultOf(server: string, thrown: unknown): ToolFault {
  if (isMCPError(thrown) && thrown.code === "NOT_CONNECTED")
    return { kind: "not_connected", retrySafe: true, server };
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return isProtocolFault(cause) ? cause.toToolFault() : { kind: "tool_error", retrySafe: false, server };
}
