import type { ClashRecord } from "../../contract/index.ts";

/** Beyond it no clash is recorded. A URI that two servers have at the moment is namespaced all the same. */
const MAX_URIS = 20_000;

/** A record in memory, which begins with what is known already. */
export function createClashRecord(known: Iterable<readonly [string, readonly string[]]> = []): ClashRecord {
  const clashes = new Map(known);
  return {
    serversOf: (uri) => clashes.get(uri),
    add: (found) => {
      for (const [uri, servers] of found) {
        const before = clashes.get(uri);
        if (before || clashes.size < MAX_URIS)
          clashes.set(uri, [...new Set([...(before ?? []), ...servers])].sort());
      }
    },
  };
}
