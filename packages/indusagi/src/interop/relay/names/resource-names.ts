import { Listeners } from "../../../core/index.ts";
import type { Caller } from "../../../runtime/index.ts";
import { filesOf, isAppPage, rebasedSkill, skillFolder } from "../../content/index.ts";
import type { ClashRecord, ItemKind, SkillEntry } from "../../contract/index.ts";
import {
  clashUri,
  isOwnUri,
  namespaceUri,
  parseNamespacedUri,
  parseSkillClash,
  type ResourceRef,
} from "../../naming/index.ts";
import type { ItemLists } from "../item-lists.ts";
import { matchesUriTemplate } from "../match-uri-template.ts";
import type { SkillLists } from "../skill-lists.ts";
import { type Renaming, renameInQuestions } from "./rename-uris.ts";
import { hasConnection, linkHolder, SessionLinks } from "./session-links.ts";

/** Texts → the servers that list them. */
type Owners = ReadonlyMap<string, readonly string[]>;

interface Index {
  readonly version: string;
  /** Listed resources, and the files of listed skills. */
  readonly resources: Owners;
  readonly templates: Owners;
  /** The folders of skills whose files are not known in advance. */
  readonly dynamic: Owners;
  /** The skills of which a file clashes, as `skillKey`. */
  readonly shared: ReadonlySet<string>;
}

const EMPTY: Index = {
  version: "",
  resources: new Map(),
  templates: new Map(),
  dynamic: new Map(),
  shared: new Set(),
};

export interface ResourceNamesParts {
  readonly lists: ItemLists;
  readonly skills: SkillLists;
  readonly record: ClashRecord;
  /** What we publish ourselves: its URIs are ours. The version changes with them. Default: nothing. */
  readonly ours?: { readonly version: number; isOurs(uri: string): boolean } | undefined;
  /** Name the server in each link that no list and no template has: another process may be asked for it. Default: no. */
  readonly namesLinks?: boolean | undefined;
}

/**
 * The names of resources and templates as clients see them. A URI is shown as it is while one server has it. Once two have it, it
 * is namespaced for good: a client that kept the plain URI must not get the content of another server.
 */
export class ResourceNames {
  readonly #lists: ItemLists;
  readonly #skills: SkillLists;
  readonly #record: ClashRecord;
  readonly #ours: ResourceNamesParts["ours"];
  readonly #namesLinks: boolean;
  readonly #links = new SessionLinks();
  readonly #clashes = new Listeners();
  #index = EMPTY;

  constructor({ lists, skills, record, ours, namesLinks = false }: ResourceNamesParts) {
    this.#lists = lists;
    this.#skills = skills;
    this.#record = record;
    this.#ours = ours;
    this.#namesLinks = namesLinks;
  }

  /** Calls the listener when more URIs are namespaced than before. Returns a function that removes the listener. */
  onClash(listener: () => void): () => void {
    return this.#clashes.add(listener);
  }

  /** The name of a URI or template of a server. */
  shown(server: string, uri: string): string {
    if (isOwnUri(uri)) return namespaceUri({ server, uri });
    return this.#isShared(server, uri) ? clashUri({ server, uri }) : uri;
  }

  /** The entry of a skill that a server lists. If one of its files clashes, all of them are named with the server. */
  shownSkill(server: string, skill: SkillEntry): SkillEntry {
    if (!this.#current().shared.has(skillKey(server, skillFolder(skill.uri)))) return skill;
    return rebasedSkill(skill, clashUri({ server, uri: skill.uri }));
  }

  /** The server and its own URI for `skill://SERVER/PATH`; undefined if that is a plain URI. */
  namedSkill(uri: string): ResourceRef | undefined {
    const ref = parseSkillClash(uri);
    if (!ref || !this.#lists.has(ref.server)) return undefined;
    return this.ownersOf(uri).length === 0 || this.ownersOf(ref.uri).includes(ref.server) ? ref : undefined;
  }

  /** A text of a client's `_meta` as the server knows it. */
  restored(server: string, text: string): string {
    const named = parseNamespacedUri(text);
    if (named) return named.server === server ? named.uri : text;
    const skill = parseSkillClash(text);
    return skill?.server === server && this.shown(server, skill.uri) === text ? skill.uri : text;
  }

  /** The servers that have, or once had, a URI or template together. Empty if it never clashed. */
  clashing(uri: string): readonly string[] {
    const servers = this.#serversIn(this.#current(), uri);
    return servers.size > 1 ? [...servers] : [];
  }

  /** The servers that list a URI, or a skill that it belongs to. */
  ownersOf(uri: string): readonly string[] {
    return ownersIn(this.#current(), uri);
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
    this.#index = EMPTY;
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
    // A session stays with us.
    if (this.#namesLinks && caller && !hasConnection(caller) && !this.#isFound(server, uri))
      return namespaceUri({ server, uri });
    this.#links.add(linkHolder(caller), uri, server);
    return this.shown(server, uri);
  }

  /** Whether everybody who knows the lists finds the server of a URI. */
  #isFound(server: string, uri: string): boolean {
    if (this.ownersOf(uri).length > 0) return true;
    const owners = new Set(this.templatesOf(uri).flatMap(([, servers]) => servers));
    return owners.size === 1 && owners.has(server);
  }

  /** Whether a URI needs the name of its server: it clashes, or another file of its skill does. */
  #isShared(server: string, uri: string): boolean {
    const index = this.#current();
    if (this.#clashesIn(index, uri)) return true;
    return (
      index.shared.size > 0 && foldersOf(uri).some((folder) => index.shared.has(skillKey(server, folder)))
    );
  }

  #clashesIn(index: Pick<Index, "resources" | "templates" | "dynamic">, uri: string): boolean {
    if (this.#ours?.isOurs(uri) || this.#serversIn(index, uri).size > 1) return true;
    // `skill://a/b` reads as `skill://b` of a server `a` that has it.
    const ref = parseSkillClash(uri);
    return ref !== undefined && ownersIn(index, ref.uri).includes(ref.server);
  }

  /** The servers that have, or once had, a URI or template. */
  #serversIn({ resources, templates }: Pick<Index, "resources" | "templates">, uri: string): Set<string> {
    const recorded = this.#record.serversOf(uri) ?? [];
    return new Set([...recorded, ...(resources.get(uri) ?? []), ...(templates.get(uri) ?? [])]);
  }

  #versions(): string {
    return `${this.#lists.version} ${this.#skills.version} ${this.#ours?.version ?? 0}`;
  }

  #current(): Index {
    if (this.#index.version === this.#versions()) return this.#index;
    const resources = this.#owners("resources", "uri");
    for (const [server, pages] of this.#lists.pages())
      for (const page of pages) addOwner(resources, page, server);
    const templates = this.#owners("templates", "uriTemplate");
    const dynamic = new Map<string, string[]>();
    const skills = this.#skills
      .known()
      .flatMap(({ server, skills: listed }) =>
        listed.map((skill) => ({ server, skill, folder: skillFolder(skill.uri) })),
      );
    for (const { server, skill, folder } of skills) {
      for (const uri of filesOf(skill)) addOwner(resources, uri, server);
      if (skill.resources === "dynamic") addOwner(dynamic, folder, server);
    }
    const owners = { resources, templates, dynamic };
    const shared = new Set(
      skills
        .filter(({ skill }) => filesOf(skill).some((uri) => this.#clashesIn(owners, uri)))
        .map(({ server, folder }) => skillKey(server, folder)),
    );
    // The versions now: reading the lists may have brought in those of an earlier run.
    this.#index = { version: this.#versions(), ...owners, shared };
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

/** The servers that list a URI, or a skill that it belongs to. */
function ownersIn(
  { resources, dynamic }: Pick<Index, "resources" | "dynamic">,
  uri: string,
): readonly string[] {
  const listed = resources.get(uri) ?? [];
  if (dynamic.size === 0) return listed;
  return [...new Set([...listed, ...foldersOf(uri).flatMap((folder) => dynamic.get(folder) ?? [])])];
}

function skillKey(server: string, folder: string): string {
  return `${server} ${folder}`;
}

/** Longer texts are no URIs of skills. */
const MAX_URI_CHARS = 4_096;

/** The folders around a URI, the innermost first. */
function foldersOf(uri: string): readonly string[] {
  const start = uri.indexOf("://") + 2;
  if (start < 2 || uri.length > MAX_URI_CHARS) return [];
  const folders: string[] = [];
  for (let end = uri.lastIndexOf("/"); end > start; end = uri.lastIndexOf("/", end - 1))
    folders.push(uri.slice(0, end));
  return folders;
}

function addOwner(owners: Map<string, string[]>, uri: string, server: string): void {
  const servers = owners.get(uri);
  if (!servers) owners.set(uri, [server]);
  else if (!servers.includes(server)) servers.push(server);
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
