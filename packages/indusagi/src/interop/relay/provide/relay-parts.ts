import type { ClientInfo } from "../../../runtime/index.ts";
import {
  CALL_TOTAL_MS,
  type ProviderRequest,
  type Relay,
  type RelayOptions,
  type ServerFleet,
} from "../../contract/index.ts";
import type { ItemLists } from "../item-lists.ts";
import type { ListHints } from "../list-hints.ts";
import { renameTexts } from "../names/rename-uris.ts";
import { askedWithShownUris, type ResourceNames } from "../names/resource-names.ts";
import type { SkillLists } from "../skill-lists.ts";
import type { RelayScope } from "./relay-scope.ts";

/** What the providers of one fleet share. */
export interface RelayParts {
  readonly fleet: ServerFleet;
  readonly relay: Relay;
  readonly lists: ItemLists;
  readonly skills: SkillLists;
  readonly names: ResourceNames;
  readonly hints: ListHints;
  /** The longest prompt name. */
  readonly nameLimit: number;
  /** Resolves when the servers of the fleet are known. */
  begun(): Promise<void>;
  patienceMs(client: ClientInfo | undefined): number;
}

/** What is passed on with a request to a server. On the route of one server nothing is renamed. */
export function passedOn(
  { names }: RelayParts,
  { scope: { only }, server }: { readonly scope: RelayScope; readonly server: string },
  { signal, caller, meta }: ProviderRequest,
): RelayOptions {
  return {
    signal,
    caller: only === undefined ? askedWithShownUris(caller, names, server) : caller,
    // A request may take as long as its client waits. This ends an abandoned one.
    timeoutMs: CALL_TOTAL_MS,
    ...(meta && { meta: renameTexts(meta, (text) => names.restored(server, text)) }),
  };
}
