import type { RemoteTool, ServerConfig } from "../contract/index.ts";
import { chosenTools } from "./chosen-tools.ts";
import { mergeListing } from "./merge-listing.ts";

/** The last known tools of a server, and whether they are on offer. */
export class LastKnownTools {
  readonly #config: ServerConfig;
  readonly #onChange: (tools: readonly RemoteTool[]) => void;
  #known: readonly RemoteTool[] = [];
  #shown: readonly RemoteTool[] = [];

  constructor(config: ServerConfig, onChange: (tools: readonly RemoteTool[]) => void) {
    this.#config = config;
    this.#onChange = onChange;
  }

  get shown(): readonly RemoteTool[] {
    return this.#shown;
  }

  /** Offers what was listed; without a listing what was known before. */
  offer(listed: readonly RemoteTool[] = this.#known): void {
    this.#known = mergeListing(this.#known, chosenTools(this.#config, listed));
    this.#show(this.#known);
  }

  /** Offers nothing for the time being. */
  hide(): void {
    this.#show([]);
  }

  #show(tools: readonly RemoteTool[]): void {
    const before = this.#shown;
    this.#shown = tools;
    if (before !== tools && before.length + tools.length > 0) this.#onChange(tools);
  }
}
