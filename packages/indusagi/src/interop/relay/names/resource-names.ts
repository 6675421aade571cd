import { Listeners } from "../../../core/index.ts";
import type { Caller } from "../../../runtime/index.ts";
import { filesOf, isInSkill, rebasedSkill } from "../../content/index.ts";
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
import { linkHolder, SessionLinks } from "./session-links.ts";

/** Texts → the servers that list them. */
type Owners = ReadonlyMap<string, readonly string[]>;

interface Index {
  readonly version: string;
  /** Listed resources, and the files of listed skills. */
  readonly resources: Owners;
  readonly templates: Owners;
  /** The skills of which a file clashes, or whose files are not known in advance, each with its server. */
  readonly special: readonly (readonly [server: string, skill: SkillEntry])[];
}

const EMPTY: Index = { version: "", resources: new Map(), templates: new Map(), special: [] };

export interface ResourceNamesParts {
  readonly lists: ItemLists;
  readonly skills: SkillLists;
  readonly record: ClashRecord;
  /** Whether a URI is one that we publish ourselves, and keep for us. Default: none is. */
  readonly isOurs?: ((uri: string) => boolean) | undefined;
}

/**
 * The names of resources and templates as clients see them. A URI is shown as it is while one server has it. Once two have it, it
 * is namespaced for good: a client that kept the plain URI must not get the content of another server.
 */
export class ResourceNames {
  readonly #lists: ItemLists;
  readonly #skills: SkillLists;
  readonly #record: ClashRecord;
  readonly #isOurs: (uri: string) => boolean;
  readonly #links = new SessionLinks();
  readonly #clashes = new Listeners();
  #index = EMPTY;

  constructor({ lists, skills, record, isOurs = () => false }: ResourceNamesParts) {
    this.#lists = lists;
    this.#skills = skills;
    this.#record = record;
    this.#isOurs = isOurs;
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

  /** An entry of a server's skill. If one of its files clashes, all of them are named with the server. */
  shownSkill(server: string, skill: SkillEntry): SkillEntry {
    if (!filesOf(skill).some((uri) => this.#isShared(server, uri))) return skill;
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
    const { resources, templates } = this.#current();
    const recorded = this.#record.serversOf(uri) ?? [];
    const servers = new Set([...recorded, ...(resources.get(uri) ?? []), ...(templates.get(uri) ?? [])]);
    return servers.size > 1 ? [...servers] : [];
  }

  /** The servers that list a URI, or a skill that it belongs to. */
  ownersOf(uri: string): readonly string[] {
    const { resources, special } = this.#current();
    const listed = resources.get(uri) ?? [];
    const around = special.filter(([, skill]) => skill.resources === "dynamic" && isInSkill(skill, uri));
    return around.length === 0 ? listed : [...new Set([...listed, ...around.map(([server]) => server)])];
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
      meta: (text) => this.shown(server, text),
    };
  }

  #handOut(server: string, uri: string, caller: Caller | undefined): string {
    const others = [...this.ownersOf(uri), ...this.linkedBy(caller, uri)].filter((other) => other !== server);
    if (others.length > 0) this.clash(uri, [server, ...others]);
    this.#links.add(linkHolder(caller), uri, server);
    return this.shown(server, uri);
  }

  /** Whether a URI needs the name of its server: it clashes, or another file of its skill does. */
  #isShared(server: string, uri: string): boolean {
    const clashes = (each: string): boolean =>
      this.#isOurs(each) || this.clashing(each).length > 1 || this.#readsAsClash(each);
    if (clashes(uri)) return true;
    return this.#current().special.some(
      ([owner, skill]) => owner === server && isInSkill(skill, uri) && filesOf(skill).some(clashes),
    );
  }

  /** `skill://a/b` reads as `skill://b` of a server `a` that has it. */
  #readsAsClash(uri: string): boolean {
    const ref = parseSkillClash(uri);
    return ref !== undefined && this.ownersOf(ref.uri).includes(ref.server);
  }

  #current(): Index {
    const version = `${this.#lists.version} ${this.#skills.version}`;
    if (this.#index.version === version) return this.#index;
    const skills = this.#skills.known();
    const resources = this.#owners("resources", "uri");
    for (const { server, skills: listed } of skills)
      for (const uri of listed.flatMap(filesOf)) addOwner(resources, uri, server);
    const templates = this.#owners("templates", "uriTemplate");
    const mayClash = (uri: string): boolean =>
      this.#isOurs(uri) ||
      (resources.get(uri)?.length ?? 0) > 1 ||
      (this.#record.serversOf(uri)?.length ?? 0) > 1 ||
      this.#lists.has(parseSkillClash(uri)?.server ?? "");
    const special = skills.flatMap(({ server, skills: listed }) =>
      listed
        .filter((skill) => skill.resources === "dynamic" || filesOf(skill).some(mayClash))
        .map((skill) => [server, skill] as const),
    );
    // The versions now: reading the lists may have brought in those of an earlier run.
    this.#index = {
      version: `${this.#lists.version} ${this.#skills.version}`,
      resources,
      templates,
      special,
    };
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
