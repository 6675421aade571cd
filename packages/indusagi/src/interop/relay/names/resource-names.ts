import { Listeners } from "../../../core/index.ts";
import type { Caller } from "../../../runtime/index.ts";
import { isAppPage } from "../../content/index.ts";
import type { ClashRecord, ItemKind } from "../../contract/index.ts";
import { isOwnUri, namespaceUri, parseNamespacedUri } from "../../naming/index.ts";
import type { ItemLists } from "../item-lists.ts";
import { matchesUriTemplate } from "../match-uri-template.ts";
import { type Renaming, renameInQuestions } from "./rename-uris.ts";
import { linkHolder, SessionLinks } from "./session-links.ts";

/** Texts → the servers that list them. */
type Owners = ReadonlyMap<string, readonly string[]>;

interface Index {
  readonly version: number;
  readonly resources: Owners;
  readonly templates: Owners;
}

const EMPTY: Index = { version: -1, resources: new Map(), templates: new Map() };

/**
 * The names of resources and templates as clients see them. A URI is shown as it is while one server has it. Once two have it, it
 * is namespaced for good: a client that kept the plain URI must not get the content of another server.
 */
export class ResourceNames {
  readonly #lists: ItemLists;
  readonly #record: ClashRecord;
  readonly #links = new SessionLinks();
  readonly #clashes = new Listeners();
  #index = EMPTY;

  constructor(lists: ItemLists, record: ClashRecord) {
    this.#lists = lists;
    this.#record = record;
  }

  /** Calls the listener when more URIs are namespaced than before. Returns a function that removes the listener. */
  onClash(listener: () => void): () => void {
    return this.#clashes.add(listener);
  }

  /** The name of a URI or template of a server. */
  shown(server: string, uri: string): string {
    return isOwnUri(uri) || this.clashing(uri).length > 1 ? namespaceUri({ server, uri }) : uri;
  }

  /** The servers that have, or once had, a URI or template together. Empty if it never clashed. */
  clashing(uri: string): readonly string[] {
    const { resources, templates } = this.#current();
    const recorded = this.#record.serversOf(uri) ?? [];
    const servers = new Set([...recorded, ...(resources.get(uri) ?? []), ...(templates.get(uri) ?? [])]);
    return servers.size > 1 ? [...servers] : [];
  }

  /** The servers that list a URI. */
  ownersOf(uri: string): readonly string[] {
    return this.#current().resources.get(uri) ?? [];
  }

  /** The servers with a template of exactly this text. */
  ownersOfTemplate(template: string): readonly string[] {
    return this.#current().templates.get(template) ?? [];
  }

  /** The templates that match a URI, each with its servers. */
  templatesOf(uri: string): readonly (readonly [template: string, servers: readonly string[]])[] {
    return [...this.#current().templates].filter(([template]) => matchesUriTemplate(template, uri));
  }

  /** The servers whose results gave this client a link to a URI. */
  linkedBy(caller: Caller | undefined, uri: string): readonly string[] {
    return this.#links.serversOf(linkHolder(caller), uri);
  }

  /** Records that several servers have a URI, which is namespaced from now on. */
  clash(uri: string, servers: readonly string[]): void {
    this.#recordNew([[uri, servers]]);
  }

  /** How the URIs in a list of a server are shown. */
  inLists(server: string): Renaming {
    const rename = (uri: string): string => this.shown(server, uri);
    return { uri: rename, meta: rename };
  }

  /** How the URIs in a result of a server are shown to a client, which may then read them. */
  inResults(server: string, caller: Caller | undefined): Renaming {
    return {
      uri: (uri) => this.#handOut(server, uri, caller),
      // A client reads the page of an app that a result names; any other text there may be anything.
      meta: (text) => (isAppPage(text) ? this.#handOut(server, text, caller) : this.shown(server, text)),
    };
  }

  #handOut(server: string, uri: string, caller: Caller | undefined): string {
    const others = [...this.ownersOf(uri), ...this.linkedBy(caller, uri)].filter((other) => other !== server);
    if (others.length > 0) this.clash(uri, [server, ...others]);
    this.#links.add(linkHolder(caller), uri, server);
    return this.shown(server, uri);
  }

  #current(): Index {
    if (this.#index.version === this.#lists.version) return this.#index;
    const resources = this.#owners("resources", "uri");
    for (const [server, pages] of this.#lists.pages)
      for (const page of pages) addOwner(resources, page, server);
    const templates = this.#owners("templates", "uriTemplate");
    // Set after the lists are read: reading may bring in those of an earlier run.
    this.#index = { version: this.#lists.version, resources, templates };
    this.#recordNew([...resources, ...templates]);
    return this.#index;
  }

  #owners(kind: ItemKind, member: string): Map<string, string[]> {
    const owners = new Map<string, string[]>();
    for (const { server, items } of this.#lists.known(kind))
      for (const item of items) addOwner(owners, String(item[member]), server);
    return owners;
  }

  #recordNew(owners: readonly (readonly [string, readonly string[]])[]): void {
    const known = (uri: string): readonly string[] => this.#record.serversOf(uri) ?? [];
    const found = owners.filter(
      ([uri, servers]) => servers.length > 1 && !servers.every((server) => known(uri).includes(server)),
    );
    const fresh = found.filter(([uri]) => known(uri).length === 0);
    if (found.length > 0) this.#record.add(new Map(found));
    // A full record takes no more.
    if (fresh.some(([uri]) => known(uri).length > 0)) this.#clashes.emit();
  }
}

function addOwner(owners: Map<string, string[]>, text: string, server: string): void {
  const servers = owners.get(text);
  if (!servers) owners.set(text, [server]);
  else if (!servers.includes(server)) servers.push(server);
}

/** A text of a client's `_meta` as the server knows it. */
export function restoredText(server: string, text: string): string {
  const ref = parseNamespacedUri(text);
  return ref?.server === server ? ref.uri : text;
}

/** The same caller, asked with the URIs in a server's questions as clients read them. */
export function askedWithShownUris(caller: Caller, names: ResourceNames, server: string): Caller {
  // Only questions for a model contain URIs, and most callers answer none.
  if (!caller.ask || !caller.can.sample) return caller;
  return {
    ...caller,
    ask: async (requests, signal) =>
      caller.ask?.(renameInQuestions(requests, names.inResults(server, caller)), signal) ?? {},
  };
}

/** No more clashes are recorded. A URI that two servers have right now is still namespaced. */
const MAX_URIS = 20_000;

/** A record in memory that starts with the known clashes. */
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
