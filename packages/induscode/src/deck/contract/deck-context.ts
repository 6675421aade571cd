import type { ReadStateHandle } from "indusagi/capabilities";
import type { CheckpointStore } from "./checkpoint-store.ts";
import type { DelegateRunner, MemoryStore, SaasGatewayPort } from "./handles.ts";

/** The handles that a host may give to the cards. A card without its handle says so when called. */
export interface DeckFramework {
  /** Enables the read-before-edit gate of the native tools. */
  readonly readState?: ReadStateHandle;
  /** Keeps the previous content of files that `write` and `edit` change. */
  readonly checkpoint?: CheckpointStore;
  /** Runs the sub-agents of the `task` card. */
  readonly delegate?: DelegateRunner;
  /** The connectors of the `saas-action` card. */
  readonly saas?: SaasGatewayPort;
  /** The notes of the `memory` card. Default: in memory, for one deck. */
  readonly memory?: MemoryStore;
}

/** What a card gets when it is built. */
export interface DeckContext {
  /** The folder for relative paths. Absolute. */
  readonly cwd: string;
  readonly framework: DeckFramework;
}
