import { describeError, isRecord } from "indusagi/core";
import { type ClashRecord, createClashRecord } from "indusagi/interop";
import type { SharedTexts } from "./shared-texts.ts";

/** In the bucket of the catalogue, where all other keys are hashes. */
export const CLASHES_KEY = "clashed-uris";

/** URIs that several servers had, as any gateway saw them: all gateways name them with their servers from then on. */
export function sharedClashes(texts: SharedTexts, report: (message: string) => void): ClashRecord {
  const record = createClashRecord();
  const learn = (): void => record.add(clashesIn(texts.get(CLASHES_KEY)?.text));
  learn();
  texts.onChange((key) => {
    if (key === CLASHES_KEY) learn();
  });
  return {
    serversOf: (uri) => record.serversOf(uri),
    add: (found) => {
      record.add(found);
      const merged = (now: string | undefined): string => {
        const all = createClashRecord(clashesIn(now));
        all.add(found);
        const uris = [...new Set([...clashesIn(now).keys(), ...found.keys()])];
        return JSON.stringify(Object.fromEntries(uris.flatMap((uri) => entryOf(uri, all.serversOf(uri)))));
      };
      texts
        .update(CLASHES_KEY, merged)
        .catch((thrown: unknown) =>
          report(`URIs that several servers have are not shared: ${describeError(thrown)}`),
        );
    },
  };
}

function entryOf(uri: string, servers: readonly string[] | undefined): [string, readonly string[]][] {
  return servers ? [[uri, servers]] : [];
}

function clashesIn(text: string | undefined): Map<string, readonly string[]> {
  const found: unknown = text === undefined ? {} : JSON.parse(text);
  return new Map(isRecord(found) ? (Object.entries(found) as [string, readonly string[]][]) : []);
}
