import type { ClientInfo } from "../../../runtime/index.ts";
import type { ProviderRequest, Relay, RelayOptions } from "../../contract/index.ts";
import type { ItemLists } from "../lists/item-lists.ts";
import { renameTexts } from "../names/rename-uris.ts";
import { type ResourceNames, restoredText } from "../names/resource-names.ts";

/** What the providers of one fleet share. */
export interface RelayParts {
  readonly relay: Relay;
  readonly lists: ItemLists;
  readonly names: ResourceNames;
  /** The longest prompt name. */
  readonly nameLimit: number;
  /** Resolves when the servers of the fleet are known. */
  begun(): Promise<void>;
  patienceMs(client: ClientInfo | undefined): number;
}

/** A request may take as long as its client waits. This ends one that is forgotten. */
const REQUEST_MS = 600_000;

/** What is passed on with a request to a server. */
export function passedOn(server: string, { signal, caller, meta }: ProviderRequest): RelayOptions {
  return {
    signal,
    caller,
    timeoutMs: REQUEST_MS,
    ...(meta && { meta: renameTexts(meta, (text) => restoredText(server, text)) }),
  };
}
