import type { RemoteTool, ServerConfig } from "../contract/index.ts";
import { isSameDefinition } from "../endpoint/index.ts";

/** The last known tools of a server, which survive its restarts, and whether they are on offer. */
export class LastKnownTools {
  readonly #config: ServerConfig;
  readonly #onChange: (tools: readonly RemoteTool[]) => void;
  #known: readonly RemoteTool[] = [];
  #offered: readonly RemoteTool[] = [];
  #areListed = false;

  constructor(config: ServerConfig, onChange: (tools: readonly RemoteTool[]) => void) {
    this.#config = config;
    this.#onChange = onChange;
  }

  get offered(): readonly RemoteTool[] {
    return this.#offered;
  }

  /** Whether the server itself has listed tools since this object exists. */
  get areListed(): boolean {
    return this.#areListed;
  }

  /** Offers tools that are known from an earlier run. */
  offerEarlier(tools: readonly RemoteTool[]): void {
    this.#merge(tools);
  }

  /** Offers the listed tools; without a listing the last known ones. */
  offer(listed?: readonly RemoteTool[]): void {
    if (listed) this.#areListed = true;
    this.#merge(listed ?? this.#known);
  }

  #merge(listed: readonly RemoteTool[]): void {
    this.#known = mergeListing(this.#known, selectTools(this.#config, listed));
    this.#set(this.#known);
  }

  /** Withdraws all tools until the next `offer`. */
  hide(): void {
    this.#set([]);
  }

  #set(tools: readonly RemoteTool[]): void {
    const before = this.#offered;
    this.#offered = tools;
    if (before !== tools && before.length + tools.length > 0) this.#onChange(tools);
  }
}

/** Applies `includeTools` and `excludeTools`, which hold the server's own names. */
function selectTools(
  { includeTools, excludeTools }: ServerConfig,
  tools: readonly RemoteTool[],
): readonly RemoteTool[] {
  if (!includeTools && !excludeTools) return tools;
  return tools.filter(
    ({ ref }) => !excludeTools?.includes(ref.name) && (!includeTools || includeTools.includes(ref.name)),
  );
}

/**
 * The newer listing, in which every unchanged tool is the old object: descriptors held elsewhere stay valid. If nothing
 * changed, the older listing itself.
 */
function mergeListing(before: readonly RemoteTool[], after: readonly RemoteTool[]): readonly RemoteTool[] {
  const known = new Map(before.map((tool) => [tool.ref.name, tool]));
  const merged = after.map((tool) => {
    const old = known.get(tool.ref.name);
    return old && isSameDefinition(old.definition, tool.definition) ? old : tool;
  });
  const isUnchanged = merged.length === before.length && merged.every((tool, at) => tool === before[at]);
  return isUnchanged ? before : merged;
}
