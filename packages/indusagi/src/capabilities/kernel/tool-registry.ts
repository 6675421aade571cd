import { Listeners } from "../../core/index.ts";
import type { ToolDescriptor } from "../../llm/index.ts";
import {
  type Caller,
  type ToolBox,
  type ToolBoxChange,
  type ToolCall,
  unknownToolOutcome,
} from "../../runtime/index.ts";
import type { DefinedTool, SessionContext } from "../contract/index.ts";
import { forCall } from "./call-context.ts";
import { diffTools } from "./diff-tools.ts";
import { UnknownCollectionError, UnknownToolError } from "./unknown-names.ts";

/** Gives the session a call belongs to. Asked for every call; a host with one session returns it each time. */
export type ContextFactory = (call: ToolCall, caller?: Caller) => SessionContext;

/** Tools by name, in the order they came, and named collections of them. */
export class ToolRegistry {
  readonly #tools = new Map<string, DefinedTool>();
  readonly #collections = new Map<string, readonly string[]>();
  readonly #listeners = new Listeners();

  /** Adds a tool. A later tool of the same name takes the earlier one's place. */
  register(tool: DefinedTool): this {
    return this.registerAll([tool]);
  }

  /** Adds several tools as one change. */
  registerAll(tools: Iterable<DefinedTool>): this {
    for (const tool of tools) this.#tools.set(tool.name, tool);
    this.#listeners.emit();
    return this;
  }

  /** Takes a tool out; false when there was none. Collections that name it no longer show it. */
  remove(name: string): boolean {
    const removed = this.#tools.delete(name);
    if (removed) this.#listeners.emit();
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

  /** Names a collection. Every member must be registered: a typing error would otherwise hide a tool for good. */
  collection(name: string, members: readonly string[]): this {
    for (const member of members) this.get(member);
    this.#collections.set(name, [...members]);
    this.#listeners.emit();
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
    const offered = (): Map<string, DefinedTool> => this.#offered(collection);
    let tools = offered();
    let descriptors = listDescriptors(tools);
    const changes = new Listeners<ToolBoxChange>();

    this.#listeners.add(() => {
      const before = tools;
      tools = offered();
      const change = diffTools(before, tools);
      if (!change) return;
      descriptors = listDescriptors(tools);
      changes.emit(change);
    });

    return {
      descriptors: () => descriptors,
      onChange: (listener) => changes.add(listener),
      runner: {
        run: async (call, signal, caller) => {
          const tool = tools.get(call.name);
          if (!tool) return unknownToolOutcome(call.id, call.name);
          return tool.invoke(call, forCall(contextFactory(call, caller), call, signal, caller));
        },
      },
    };
  }

  #offered(collection: string | undefined): Map<string, DefinedTool> {
    if (collection === undefined) return new Map(this.#tools);
    const members = this.membersOf(collection);
    return new Map(
      members.flatMap((name) => {
        const tool = this.#tools.get(name);
        return tool ? [[name, tool] as const] : [];
      }),
    );
  }
}

function listDescriptors(tools: ReadonlyMap<string, DefinedTool>): readonly ToolDescriptor[] {
  return Object.freeze([...tools.values()].map((tool) => tool.descriptor()));
}
