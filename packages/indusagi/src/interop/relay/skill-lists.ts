import { createSingleFlight, settlesWithin, shortenText } from "../../core/index.ts";
import { isRecord, sameJson } from "../../core/internal.ts";
import { EXTENSION_KEYS, skillAbilities, skillProblem } from "../content/index.ts";
import type {
  ExtensionKey,
  RawResult,
  Relay,
  RelayOptions,
  ServerFleet,
  SkillEntry,
} from "../contract/index.ts";
import { readPages } from "../endpoint/index.ts";
import { type AllListsOptions, availabilityOf, type ItemLists } from "./item-lists.ts";
import type { DeclaredCapabilities } from "./missing-capability.ts";

/** The skills of one server. */
export interface ServerSkills extends SkillHints {
  readonly server: string;
  readonly skills: readonly SkillEntry[];
}

/** What an answer says about caching. */
export interface SkillHints {
  /** How long it stays valid. */
  readonly ttlMs: number;
  /** True if it is for one user only. */
  readonly isPrivate: boolean;
}

export interface SkillListsOptions {
  readonly relay: Relay;
  /** What each server declared; undefined if that is not known yet. */
  readonly declared: () => DeclaredCapabilities;
  /** What the lists of a server depend on. */
  readonly classOf: ItemLists["classOf"];
  /** Called once with each skill that is left out. */
  readonly report?: ((message: string) => void) | undefined;
}

/** Timeout for all pages of one server, even if no client waits for them any more. */
const LIST_MS = 30_000;
/** The longest wait for a server whose list is known, or whose last request failed. */
const AGAIN_MS = 1_500;
const MAX_SKILLS = 2_000;
const MAX_UNLISTED = 500;
/** A server may send other names each time. */
const MAX_REPORTS = 200;
const MAX_URI_CHARS = 200;

/** The skills of all servers of a fleet, listed when a client wants them. Their files are never read ahead. */
export class SkillLists {
  readonly #fleet: ServerFleet;
  readonly #options: SkillListsOptions;
  readonly #flights = createSingleFlight<string>();
  readonly #known = new Map<string, { readonly list: ServerSkills; readonly readMs: number }>();
  readonly #unlisted = new Map<string, Map<string, SkillEntry>>();
  /** When the pending request was sent. */
  readonly #askedMs = new Map<string, number>();
  readonly #failed = new Set<string>();
  readonly #reported = new Set<string>();
  #version = 0;

  constructor(fleet: ServerFleet, options: SkillListsOptions) {
    this.#fleet = fleet;
    this.#options = options;
  }

  /** Grows with each list that is read. */
  get version(): number {
    return this.#version;
  }

  /** All skills that servers have named, without those of servers that are gone. */
  known(): readonly Pick<ServerSkills, "server" | "skills">[] {
    return this.#fleet.endpoints().flatMap(({ config: { id: server } }) => {
      const skills = new Map<string, SkillEntry>();
      // The plain list first: names do not depend on who asks.
      const lists = ["", ...EXTENSION_KEYS].flatMap((each) => this.#known.get(keyOf(server, each)) ?? []);
      const named = [
        ...lists.flatMap(({ list }) => list.skills),
        ...(this.#unlisted.get(server)?.values() ?? []),
      ];
      for (const skill of named) if (!skills.has(skill.uri)) skills.set(skill.uri, skill);
      return [{ server, skills: [...skills.values()] }];
    });
  }

  /** Remembers a skill that a server has although it may not list it: its files belong to that server. */
  learn(server: string, skill: SkillEntry): void {
    const skills = this.#unlisted.get(server) ?? new Map<string, SkillEntry>();
    if (skills.size >= MAX_UNLISTED || sameJson(skills.get(skill.uri), skill)) return;
    this.#unlisted.set(server, skills.set(skill.uri, skill));
    this.#version += 1;
  }

  /** What a server that offers skills declared. */
  abilitiesOf(server: string): ReturnType<typeof skillAbilities> {
    for (const [id, capabilities] of this.#options.declared())
      if (id === server) return skillAbilities(capabilities);
    return undefined;
  }

  /** The servers that declared skills, with what they can do. */
  declared(): ReadonlyMap<string, NonNullable<ReturnType<typeof skillAbilities>>> {
    const servers = new Map<string, NonNullable<ReturnType<typeof skillAbilities>>>();
    for (const [server, capabilities] of this.#options.declared()) {
      const abilities = skillAbilities(capabilities);
      if (abilities) servers.set(server, abilities);
    }
    return servers;
  }

  /**
   * The skills of all servers that can be used. A server that fails is left out, or has its last list; none is waited for longer
   * than the patience. Rejects only when the signal aborts.
   */
  async all(options: AllListsOptions): Promise<readonly ServerSkills[]> {
    const { only } = options;
    const capabilities = new Map(this.#options.declared());
    const statuses = [...this.#fleet.status().values()].filter(({ server }) => {
      const declared = capabilities.get(server);
      // A server that never ran may have skills.
      return (only === undefined || server === only) && (!declared || skillAbilities(declared));
    });
    const lists = statuses.map(async (status): Promise<readonly ServerSkills[]> => {
      const availability = availabilityOf(status);
      if (availability === "none") return [];
      return this.#one(status.server, availability === "live", options);
    });
    return (await Promise.all(lists)).flat();
  }

  async #one(server: string, isLive: boolean, options: AllListsOptions): Promise<readonly ServerSkills[]> {
    const { patienceMs, signal, maxAgeMs = 0, isVisible = () => true } = options;
    const extensions = this.#options.classOf(server, options.extensions);
    const key = keyOf(server, extensions);
    const known = this.#known.get(key) ?? (isLive ? undefined : this.#known.get(keyOf(server, "")));
    // It can be used, but nobody has said so for a while.
    const older = known ? [{ ...known.list, ttlMs: 0 }] : [];
    if (known && (!isLive || performance.now() - known.readMs <= maxAgeMs)) return older;
    const meta = isVisible(server) ? options.meta : undefined;
    let answer: ServerSkills | undefined;
    const asking = meta
      ? this.#read(server, extensions, meta)
      : this.#flights.run(key, () => this.#read(server, extensions, undefined));
    const done = asking.then((list) => (answer = list)).catch(() => {});
    await settlesWithin(done, this.#waitMs(key, patienceMs), { signal });
    signal?.throwIfAborted();
    return answer ? [answer] : older;
  }

  /** Each request to a server is waited for once: a server that hangs must not delay every list. */
  #waitMs(key: string, patienceMs: number): number {
    const isAgain = this.#known.has(key) || this.#failed.has(key);
    const longestMs = isAgain ? Math.min(AGAIN_MS, patienceMs) : patienceMs;
    const askedMs = this.#askedMs.get(key) ?? performance.now();
    return Math.max(0, askedMs + longestMs - performance.now());
  }

  async #read(
    server: string,
    extensions: ExtensionKey,
    meta: AllListsOptions["meta"],
  ): Promise<ServerSkills> {
    const key = keyOf(server, extensions);
    this.#askedMs.set(key, performance.now());
    try {
      const asked = { extensions, ...(meta && { meta }) };
      const { leftOut, ...listed } = await listSkills(this.#options.relay, server, asked);
      for (const problem of leftOut) this.#report(server, problem);
      const list = { server, ...listed };
      this.#failed.delete(key);
      this.#known.set(key, { list, readMs: performance.now() });
      this.#version += 1;
      return list;
    } catch (thrown) {
      this.#failed.add(key);
      throw thrown;
    } finally {
      this.#askedMs.delete(key);
    }
  }

  #report(server: string, problem: string): void {
    const line = `server "${server}": ${problem}`;
    if (this.#reported.has(line) || this.#reported.size >= MAX_REPORTS) return;
    this.#reported.add(line);
    this.#options.report?.(line);
  }
}

/** The list of a server for clients with these extensions, as the server sees them; empty for all others. */
function keyOf(server: string, extensions: ExtensionKey): string {
  return `${extensions}\n${server}`;
}

/** What `listSkills` found. */
export interface SkillList {
  readonly skills: readonly SkillEntry[];
  /** How long the list stays valid. */
  readonly ttlMs: number;
  /** True if it is for one user only. */
  readonly isPrivate: boolean;
  /** Why others cannot be used, one line each. */
  readonly leftOut: readonly string[];
}

/** Lists all skills of one server, and reads none of their files. Rejects with a fault. */
export async function listSkills(
  relay: Pick<Relay, "skills">,
  server: string,
  { timeoutMs = LIST_MS, ...options }: RelayOptions = {},
): Promise<SkillList> {
  const entries: unknown[] = [];
  const hints: SkillHints[] = [];
  const method = "skills/list";
  await readPages(
    async (params, leftMs) => {
      const page = await relay.skills(server, { method, ...params }, { ...options, timeoutMs: leftMs });
      hints.push(cacheHints(page));
      return page;
    },
    {
      server,
      method,
      member: "skills",
      timeoutMs,
      onPage: (page) => {
        entries.push(...page.slice(0, MAX_SKILLS - entries.length));
        return entries.length < MAX_SKILLS;
      },
    },
  );
  const skills = entries.filter((entry): entry is SkillEntry => skillProblem(entry) === undefined);
  const leftOut = entries.flatMap((entry) => {
    const problem = skillProblem(entry);
    if (problem === undefined) return [];
    const uri = isRecord(entry) ? entry["uri"] : undefined;
    const shown = JSON.stringify(typeof uri === "string" ? shortenText(uri, MAX_URI_CHARS) : "without a uri");
    return [`the skill ${shown} is left out: ${problem}`];
  });
  return { skills, leftOut, ...mergedHints(hints) };
}

/** What an answer says about caching. Without a word it is neither cached nor shared. */
export function cacheHints({ ttlMs, cacheScope }: RawResult): SkillHints {
  const isUsable = Number.isSafeInteger(ttlMs) && (ttlMs as number) >= 0;
  return { ttlMs: isUsable ? (ttlMs as number) : 0, isPrivate: cacheScope !== "public" };
}

/** The smallest time; private if one part is. Nothing at all stays valid for no time. */
export function mergedHints(parts: readonly SkillHints[]): SkillHints {
  return {
    ttlMs: parts.length === 0 ? 0 : Math.min(...parts.map(({ ttlMs }) => ttlMs)),
    isPrivate: parts.some(({ isPrivate }) => isPrivate),
  };
}
