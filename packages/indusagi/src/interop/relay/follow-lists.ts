import type { ItemKind, ServerFleet } from "../contract/index.ts";

const CHANGED: { readonly [method: string]: readonly ItemKind[] } = {
  "notifications/prompts/list_changed": ["prompts"],
  "notifications/resources/list_changed": ["resources", "templates"],
};

/** Calls the listener for each list that a server reports as changed. Returns a function that ends it. */
export function followLists(
  fleet: ServerFleet,
  changed: (server: string, kind: ItemKind) => void,
): () => void {
  return fleet.onNotification(({ server, notification: { method } }) => {
    for (const kind of CHANGED[method] ?? []) changed(server, kind);
  });
}
