import type { Caller } from "../../../runtime/index.ts";
import {
  directoryOf,
  extensionKey,
  filesOf,
  rebasedSkill,
  skillProblem,
  withoutEnvelope,
} from "../../content/index.ts";
import type {
  ListRequest,
  ProviderRequest,
  RawResult,
  ResourceProvider,
  SkillEntry,
  SkillProvider,
  SkillRequest,
} from "../../contract/index.ts";
import type { ResourceRef } from "../../naming/index.ts";
import { RpcCode, RpcFailure } from "../../wire/index.ts";
import { cacheHints, mergedHints } from "../skill-lists.ts";
import { ambiguous, passedOn, passOn, type RelayParts } from "./relay-parts.ts";
import { isInScope, isSameForAll, type RelayScope } from "./relay-scope.ts";
import { locate } from "./resource-provider.ts";

/** Skills that a gateway publishes itself, next to those of its servers. */
export interface PublishedSkills {
  readonly skills: SkillProvider;
  /** The files of the skills. */
  readonly resources: Pick<ResourceProvider, "list" | "read">;
}

/**
 * The skills of the servers in a scope, and ours. Entries and files are as their servers send them; a clash changes only URIs.
 * Lists have one page, so no entry is split.
 */
export function skillProvider(
  parts: RelayParts,
  scope: RelayScope,
  own?: OwnSkills,
): Required<SkillProvider> {
  if (scope.only !== undefined) return oneServer(parts, { ...scope, only: scope.only });
  return {
    list: async (_list, request) => {
      await parts.begun();
      const { signal, caller, meta } = request;
      const ours = await own?.entries(request);
      const isVisible = (server: string): boolean => isInScope(scope, server, caller);
      const patienceMs = parts.patienceMs(caller.client);
      const extensions = extensionKey(caller.can.extensions);
      const lists = await parts.skills.all({ signal, patienceMs, meta, isVisible, extensions });
      const visible = lists.filter(({ server }) => isVisible(server));
      const skills = visible.flatMap(({ server, skills: listed }) =>
        listed.map((skill) => parts.names.shownSkill(server, skill)),
      );
      const { ttlMs, isPrivate } = mergedHints(ours ? [...visible, NOT_CACHED] : visible);
      // What one caller sees is not for the others.
      const cacheScope = isPrivate || !isSameForAll(scope, caller) ? "private" : "public";
      return { skills: [...skills, ...(ours ?? [])], ttlMs, cacheScope };
    },
    get: async (uri, request) => {
      await parts.begun();
      if (await own?.has(uri, request)) return own?.skills.get(uri, request);
      const found = await findSkill(parts, scope, uri, request);
      if (!found) return undefined;
      const { ref, result } = found;
      const { skill } = result;
      if (skillProblem(skill) !== undefined) return result;
      parts.skills.learn(ref.server, skill as SkillEntry);
      return ref.uri === uri ? result : { ...result, skill: rebasedSkill(skill as SkillEntry, uri) };
    },
    directory: async (asked, list, request) => {
      await parts.begun();
      const uri = withoutSlash(asked);
      const ours = await own?.directory(uri, list, request);
      if (ours) return ours;
      const [ref, another] = await locateFolder(parts, scope, uri, request);
      if (!ref) return undefined;
      // A folder above the skills of several servers.
      if (another)
        return directoryOf(
          uri,
          shownSkills(parts, scope, request.caller).flatMap(({ to }) => filesOf(to)),
        );
      const to = { scope, server: ref.server };
      const found = parts.skills.abilitiesOf(ref.server)?.directoryRead
        ? await send(parts, to, { method: "resources/directory/read", uri: ref.uri, ...list }, request)
        : await fromManifests(parts, to, ref, request);
      return found && { ...found, resources: renamedChildren(found["resources"], ref.uri, uri) };
    },
  };
}

/** Whether a client can use skills, and may read folders: one of its servers can, or we publish some. */
export function skillsFor(
  parts: RelayParts,
  { scope, own }: { readonly scope: RelayScope; readonly own: OwnSkills | undefined },
  caller: Caller,
): { readonly directoryRead: boolean } | undefined {
  if (own && scope.only === undefined) return { directoryRead: true };
  let can: { readonly directoryRead: boolean } | undefined;
  for (const [server, abilities] of parts.skills.declared()) {
    if (can?.directoryRead) break;
    if (isInScope(scope, server, caller)) can = abilities;
  }
  return can;
}

/** The route of one server: every request is passed on, and every answer is as received. */
function oneServer(
  parts: RelayParts,
  scope: RelayScope & { readonly only: string },
): Required<SkillProvider> {
  const { only: server } = scope;
  const pass = async (asked: SkillRequest, request: ProviderRequest): Promise<RawResult> => {
    await parts.begun();
    if (!isInScope(scope, server, request.caller)) throw noSkills();
    return send(parts, { scope, server }, asked, request);
  };
  return {
    list: (list, request) => pass({ method: "skills/list", ...list }, request),
    get: (uri, request) => pass({ method: "skills/get", uri }, request),
    directory: (uri, list, request) => pass({ method: "resources/directory/read", uri, ...list }, request),
  };
}

function noSkills(): RpcFailure {
  return new RpcFailure(RpcCode.METHOD_NOT_FOUND, "Method not found");
}

/** The server that a request goes to, and the route that it came from. */
interface Target {
  readonly scope: RelayScope;
  readonly server: string;
}

async function send(
  parts: RelayParts,
  to: Target,
  asked: SkillRequest,
  request: ProviderRequest,
): Promise<RawResult> {
  const answer = parts.relay.skills(to.server, asked, passedOn(parts, to, request));
  return withoutEnvelope(await passOn(answer, request.caller));
}

interface FoundSkill {
  readonly ref: ResourceRef;
  /** The result of `skills/get`. */
  readonly result: RawResult;
}

/** The skill with a URI. Undefined if no server has it. Rejects if several have it, or if its server fails. */
async function findSkill(
  parts: RelayParts,
  scope: RelayScope,
  uri: string,
  request: ProviderRequest,
): Promise<FoundSkill | undefined> {
  const get = async (ref: ResourceRef): Promise<FoundSkill> => {
    const asked: SkillRequest = { method: "skills/get", uri: ref.uri };
    return { ref, result: await send(parts, { scope, server: ref.server }, asked, request) };
  };
  const ref = await located(parts, scope, uri, request);
  if (ref) return get(ref);
  // Lists may be partial, but a server answers for each of its skills, and asking has no effect.
  const servers = [...parts.skills.declared().keys()].filter((server) =>
    isInScope(scope, server, request.caller),
  );
  const answers = await Promise.all(servers.map((server) => get({ server, uri }).catch(() => undefined)));
  const found = answers.flatMap((answer) => answer ?? []);
  if (found.length > 1) {
    const owners = found.map((each) => each.ref.server);
    parts.names.clash(uri, owners);
    throw ambiguous(uri, owners);
  }
  return found[0];
}

/** The server of a URI, if it has skills. Undefined if no server has it. */
async function located(
  parts: RelayParts,
  scope: RelayScope,
  uri: string,
  request: ProviderRequest,
): Promise<ResourceRef | undefined> {
  try {
    const ref = await locate(parts, scope, uri, request);
    return parts.skills.abilitiesOf(ref.server) ? ref : undefined;
  } catch (thrown) {
    // Anything else, such as a clash, is the answer.
    if (thrown instanceof RpcFailure && thrown.code === RpcCode.RESOURCE_NOT_FOUND) return undefined;
    throw thrown;
  }
}

/** A scheme alone, which is left if a client asks for the name of a server, is no folder. */
const IS_FOLDER = /^[^/]+:\/\/./;

/** The servers of a folder, each with its own URI for it: those that have a skill around it or below it. */
async function locateFolder(
  parts: RelayParts,
  scope: RelayScope,
  folder: string,
  request: ProviderRequest,
): Promise<readonly ResourceRef[]> {
  const { signal, caller } = request;
  const patienceMs = parts.patienceMs(caller.client);
  const extensions = extensionKey(caller.can.extensions);
  await parts.skills.all({ signal, patienceMs, extensions, maxAgeMs: Number.POSITIVE_INFINITY });
  const found = new Map<string, ResourceRef>();
  for (const { server, from, to } of shownSkills(parts, scope, caller)) {
    const at = found.has(server) ? -1 : filesOf(to).findIndex((file) => file.startsWith(`${folder}/`));
    const [plain, shown] = [filesOf(from)[at], filesOf(to)[at]];
    if (plain === undefined || shown === undefined) continue;
    // Both end in the same way: a clash changes only the beginning.
    const uri = plain.slice(0, plain.length - (shown.length - folder.length));
    if (IS_FOLDER.test(uri)) found.set(server, { server, uri });
  }
  if (found.size > 0) return [...found.values()];
  const manifest = await located(parts, scope, `${folder}/SKILL.md`, request);
  const uri = manifest?.uri.slice(0, -"/SKILL.md".length) ?? "";
  return manifest && IS_FOLDER.test(uri) ? [{ server: manifest.server, uri }] : [];
}

/** The known skills that a client may see, as their servers and as clients name them. */
function shownSkills(
  { skills: lists, names }: RelayParts,
  scope: RelayScope,
  caller: Caller,
): readonly { readonly server: string; readonly from: SkillEntry; readonly to: SkillEntry }[] {
  return lists
    .known()
    .filter(({ server }) => isInScope(scope, server, caller))
    .flatMap(({ server, skills }) =>
      skills.map((skill) => ({ server, from: skill, to: names.shownSkill(server, skill) })),
    );
}

/** Not by a pattern: that takes quadratic time for a URI of slashes. */
function withoutSlash(uri: string): string {
  const start = uri.indexOf("://") + 3;
  let end = uri.length;
  while (end > start && uri.charAt(end - 1) === "/") end -= 1;
  return uri.slice(0, end);
}

/** A folder of a server that cannot list it, from the files that its skills name. */
async function fromManifests(
  parts: RelayParts,
  to: Target,
  { server, uri }: ResourceRef,
  request: ProviderRequest,
): Promise<RawResult | undefined> {
  const lists = parts.skills.known().filter((list) => list.server === server);
  const known = directoryOf(
    uri,
    lists.flatMap(({ skills }) => skills.flatMap(filesOf)),
  );
  if (known) return known;
  const { skill } = await send(parts, to, { method: "skills/get", uri: `${uri}/SKILL.md` }, request);
  return skillProblem(skill) === undefined ? directoryOf(uri, filesOf(skill as SkillEntry)) : undefined;
}

/** The children of a folder under the name by which a client asked for it. */
function renamedChildren(children: unknown, before: string, after: string): unknown {
  if (before === after || !Array.isArray(children)) return children;
  return (children as readonly RawResult[]).map((child) => {
    const { uri } = child;
    const isInside = typeof uri === "string" && uri.startsWith(`${before}/`);
    return isInside ? { ...child, uri: `${after}${uri.slice(before.length)}` } : child;
  });
}

/** What a folder of ours has may change at any time. */
const NOT_CACHED = cacheHints({ ttlMs: 0, cacheScope: "public" });

/** The skills that we publish ourselves. Their URIs are ours: a server's skill of the same name gets the name of its server. */
export class OwnSkills {
  readonly skills: SkillProvider;
  readonly #resources: PublishedSkills["resources"];
  /** Grows when other files are published. */
  version = 0;
  #files: ReadonlySet<string> = new Set();

  constructor({ skills, resources }: PublishedSkills) {
    this.skills = skills;
    this.#resources = resources;
  }

  async entries(request: ProviderRequest): Promise<readonly SkillEntry[]> {
    const { skills } = await this.skills.list({}, request);
    const entries = skills as readonly SkillEntry[];
    const files = new Set(entries.flatMap(filesOf));
    if (files.size !== this.#files.size || [...files].some((uri) => !this.#files.has(uri))) this.version += 1;
    this.#files = files;
    return entries;
  }

  /** Whether a URI was ours when the skills were last listed. */
  isOurs(uri: string): boolean {
    return this.#files.has(uri);
  }

  async has(uri: string, request: ProviderRequest): Promise<boolean> {
    if (!uri.startsWith("skill://")) return false;
    if (!this.isOurs(uri)) await this.entries(request);
    return this.isOurs(uri);
  }

  async directory(uri: string, list: ListRequest, request: ProviderRequest): Promise<RawResult | undefined> {
    if (this.skills.directory) return this.skills.directory(uri, list, request);
    await this.entries(request);
    return directoryOf(uri, this.#files);
  }

  /** Resources, with ours after them. */
  withFiles(provider: ResourceProvider): ResourceProvider {
    return {
      ...provider,
      list: async (list, request) => {
        await this.entries(request);
        const [{ resources: ours }, { resources, ...rest }] = await Promise.all([
          this.#resources.list({}, request),
          provider.list(list, request),
        ]);
        return {
          ...rest,
          resources: [...(resources as readonly unknown[]), ...(ours as readonly unknown[])],
        };
      },
      read: async (uri, request) =>
        (await this.has(uri, request)) ? this.#resources.read(uri, request) : provider.read(uri, request),
    };
  }
}
