import { isRecord, sameJson } from "../../core/internal.ts";
import { Extension, type ExtensionKey, type Extensions } from "../contract/index.ts";

/**
 * The extensions whose declarations we pass on between many clients and many servers, with the settings that we declare for all
 * of them together. Lists are cached per subset of these ids, so the set is fixed.
 */
export const RELAYED_EXTENSIONS: Extensions = {
  [Extension.UI]: { mimeTypes: ["text/html;profile=mcp-app"] },
  [Extension.SKILLS]: {},
};

/** These concern the login at one server, so they are never passed on. */
const LOGIN = /^io\.modelcontextprotocol\/(?:auth\/|oauth-|enterprise-managed-authorization)/;

/** The extensions among a peer's capabilities. Undefined if there are none: most peers have none. */
export function extensionsIn(capabilities: unknown): Extensions | undefined {
  if (!isRecord(capabilities) || !isRecord(capabilities["extensions"])) return undefined;
  return pickExtensions(capabilities["extensions"], () => true);
}

/** The declared extensions that `keeps` accepts, without malformed ones. Undefined if none is left. */
export function pickExtensions(
  declared: { readonly [id: string]: unknown },
  keeps: (id: string) => boolean,
): Extensions | undefined {
  const kept = Object.entries(declared).filter(([id, settings]) => isRecord(settings) && keeps(id));
  return kept.length > 0 ? (Object.fromEntries(kept) as unknown as Extensions) : undefined;
}

/** Whether a declaration may travel between many clients and many servers. */
export function isRelayedExtension(id: string): boolean {
  return Object.hasOwn(RELAYED_EXTENSIONS, id) || id === Extension.TASKS;
}

/** Whether a declaration may travel between one client and one server, through us. */
export function isForwardableExtension(id: string): boolean {
  return !LOGIN.test(id);
}

/**
 * What a gateway declares for several servers. Settings that differ are merged by the rules of extensions we know; an unknown
 * extension is left out if its servers do not agree.
 */
export function mergeExtensions(all: Iterable<Extensions>): Extensions | undefined {
  const merged = new Map<string, Extensions[string] | undefined>();
  for (const extensions of all)
    for (const [id, settings] of Object.entries(extensions)) {
      const before = merged.get(id);
      if (!merged.has(id)) merged.set(id, settings);
      else if (before) merged.set(id, mergedSettings(id, before, settings));
    }
  return pickExtensions(Object.fromEntries(merged), () => true);
}

function mergedSettings(
  id: string,
  one: Extensions[string],
  other: Extensions[string],
): Extensions[string] | undefined {
  if (sameJson(one, other)) return one;
  if (id === Extension.SKILLS) {
    const canReadFolders = one["directoryRead"] === true || other["directoryRead"] === true;
    return canReadFolders ? { directoryRead: true } : {};
  }
  // What a server offers in its own settings holds for its own resources only.
  return isRelayedExtension(id) ? {} : undefined;
}

/** The relayed extensions among those declared, as a key: the same for clients that may see the same lists. */
export function extensionKey(declared: Extensions | undefined): ExtensionKey {
  return declared ? keyOf((id) => Object.hasOwn(declared, id)) : "";
}

/** All keys of clients that declared something. There are few, because the set of relayed extensions is fixed. */
export const EXTENSION_KEYS: readonly ExtensionKey[] = Object.keys(RELAYED_EXTENSIONS)
  .reduce<string[][]>((sets, id) => [...sets, ...sets.map((ids) => [...ids, id])], [[]])
  .map((ids) => keyOf((id) => ids.includes(id)))
  .filter((key) => key !== "");

/** The part of a key that a server with these capabilities declares too. Its lists may depend on nothing else. */
export function sharedKey(key: ExtensionKey, capabilities: unknown): ExtensionKey {
  if (key === "") return "";
  const declared = extensionsIn(capabilities) ?? {};
  const ids = key.split(" ");
  return keyOf((id) => ids.includes(id) && Object.hasOwn(declared, id));
}

/** What is declared for a list that clients with this key share: our settings, as each of them may have its own. */
export function declaredFor(key: ExtensionKey | undefined): Extensions | undefined {
  if (!key) return undefined;
  const ids = key.split(" ");
  return pickExtensions(RELAYED_EXTENSIONS, (id) => ids.includes(id));
}

function keyOf(has: (id: string) => boolean): ExtensionKey {
  return Object.keys(RELAYED_EXTENSIONS).filter(has).join(" ");
}
