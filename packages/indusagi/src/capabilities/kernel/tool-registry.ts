import { CoreError, Listeners } from "../../core/index.ts";
import { type Caller, createTableBox, type Tool, type ToolBox, type ToolCall } from "../../runtime/index.ts";
import type { DefinedTool, SessionContext } from "../contract/index.ts";
import { callContext } from "./define-tool.ts";

/** Returns the session a call belongs to. Called for every call; a host with one session always returns that one. */
export type ContextFactory = (call: ToolCall, caller?: Caller) => SessionContext;

/** Tools by name, in the order of registration, and named collections of them. */
export class ToolRegistry {
  readonly #tools = new Map<string, DefinedTool>();
  readonly #collections = new Map<string, readonly string[]>();
  readonly #changes = new Listeners();

  /** Adds a tool. It replaces an earlier tool of the same name. */
  register(tool: DefinedTool): this {
    return this.registerAll([tool]);
  }

  /** Adds several tools as one change. */
  registerAll(tools: Iterable<DefinedTool>): this {
    for (const tool of tools) this.#tools.set(tool.name, tool);
    this.#changes.emit();
    return this;
  }

  /** Removes a tool; false if there was none. Collections that name it no longer offer it. */
  remove(name: string): boolean {
    const removed = this.#tools.delete(name);
    if (removed) this.#changes.emit();
    return removed;
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }

  /** The tool of that name, or an `UnknownToolError` that lists the known ones. */
  get(name: string): DefinedTool {
    const tool = this.#tools.get(name);
    if (!tool) throw new UnknownToolError(name, this.names());
    return tool;
  }

  names(): string[] {
    return [...this.#tools.keys()];
  }

  /** Defines a collection. Every member must be registered: a typo would otherwise hide a tool. */
  collection(name: string, members: readonly string[]): this {
    for (const member of members) this.get(member);
    this.#collections.set(name, [...members]);
    this.#changes.emit();
    return this;
  }

  /** The members of a collection, or an `UnknownCollectionError` that lists the known ones. */
  membersOf(name: string): readonly string[] {
    const members = this.#collections.get(name);
    if (!members) throw new UnknownCollectionError(name, this.collectionNames());
    return members;
  }

  collectionNames(): string[] {
    return [...this.#collections.keys()];
  }

  /** The tools, or those of one collection, as a box. It follows later changes of this registry. */
  toToolBox(contextFactory: ContextFactory, collection?: string): ToolBox {
    if (collection !== undefined) this.membersOf(collection);
    const entries = new WeakMap<DefinedTool, Tool>();
    const entryOf = (tool: DefinedTool): Tool => {
      const entry = entries.get(tool) ?? tableTool(tool, contextFactory);
      entries.set(tool, entry);
      return entry;
    };
    const table = createTableBox(this.#offered(collection).map(entryOf));
    this.#changes.add(() => table.replace(this.#offered(collection).map(entryOf)));
    return table.box;
  }

  #offered(collection: string | undefined): DefinedTool[] {
    if (collection === undefined) return [...this.#tools.values()];
    return this.membersOf(collection).flatMap((name) => this.#tools.get(name) ?? []);
  }
}

function tableTool(tool: DefinedTool, contextFactory: ContextFactory): Tool {
  return {
    descriptor: tool.descriptor(),
    run: async (call, signal, caller) =>
      tool.invoke(call, callContext(contextFactory(call, caller), call, signal, caller)),
  };
}

/** No tool of this name is registered. */
export class UnknownToolError extends CoreError<"unknown_tool"> {
  constructor(name: string, known: readonly string[]) {
    super(
      "unknown_tool",
      `there is no tool named ${JSON.stringify(name)}; known: ${known.join(", ") || "none"}`,
    );
  }
}

/** No collection of this name is registered. */
export class UnknownCollectionError extends CoreError<"unknown_collection"> {
  constructor(name: string, known: readonly string[]) {
    super(
      "unknown_collection",
      `there is no collection named ${JSON.stringify(name)}; known: ${known.join(", ") || "none"}`,
    );
  }
}
