import { createSingleFlight, settlesWithin } from "../../core/index.ts";
import { skillAbilities, skillProblem } from "../content/index.ts";
import type { RawResult, Relay, ServerFleet, SkillEntry } from "../contract/index.ts";
import { readPages } from "../endpoint/index.ts";
import { type AllListsOptions, availabilityOf } from "./item-lists.ts";
import type { DeclaredCapabilities } from "./missing-capability.ts";

/** The skills of one server. */
export interface ServerSkills {
  readonly server: string;
  readonly skills: readonly SkillEntry[];
  /** How long the list stays valid. */
  readonly ttlMs: number;
  readonly isPrivate: boolean;
}

export interface SkillListsOptions {
  readonly relay: Relay;
  /** What each server declared; undefined if that is not known yet. */
  readonly declared: () => DeclaredCapabilities;
  /** Called once with each skill that is left out. */
  readonly report?: ((message: string) => void) | undefined;
}

/** Timeout for all pages of one server, even if no client waits for them any more. */
const LIST_MS = 30_000;
/** The longest wait for a server whose list is known, or whose last request failed. */
const AGAIN_MS = 1_500;
const MAX_SKILLS = 2_000;

/** The skills of all servers of a fleet, listed when a client wants them. Their files are never read ahead. */
export class SkillLists {
  readonly #fleet: ServerFleet;
  readonly #options: SkillListsOptions;
  readonly #flights = createSingleFlight<string>();
  readonly #known = new Map<string, { readonly list: ServerSkills; readonly readMs: number }>();
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

  /** The lists that were read, without those of servers that are gone. */
  known(): readonly ServerSkills[] {
    return [...this.#known.values()]
      .map(({ list }) => list)
      .filter(({ server }) => this.#fleet.endpoint(server) !== undefined);
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
    const known = this.#known.get(server);
    // It can be used, but nobody has said so for a while.
    const older = known ? [{ ...known.list, ttlMs: 0 }] : [];
    if (known && (!isLive || performance.now() - known.readMs <= maxAgeMs)) return older;
    const meta = isVisible(server) ? options.meta : undefined;
    let answer: ServerSkills | undefined;
    const asking = meta
      ? this.#read(server, meta)
      : this.#flights.run(server, () => this.#read(server, undefined));
    const done = asking.then((list) => (answer = list)).catch(() => {});
    await settlesWithin(done, this.#waitMs(server, patienceMs), { signal });
    signal?.throwIfAborted();
    return answer ? [answer] : older;
  }

  /** Each request to a server is waited for once: a server that hangs must not delay every list. */
  #waitMs(server: string, patienceMs: number): number {
    const isAgain = this.#known.has(server) || this.#failed.has(server);
    const longestMs = isAgain ? Math.min(AGAIN_MS, patienceMs) : patienceMs;
    const askedMs = this.#askedMs.get(server) ?? performance.now();
    return Math.max(0, askedMs + longestMs - performance.now());
  }

  async #read(server: string, meta: AllListsOptions["meta"]): Promise<ServerSkills> {
    this.#askedMs.set(server, performance.now());
    try {
      const list = await this.#pages(server, meta);
      this.#failed.delete(server);
      this.#known.set(server, { list, readMs: performance.now() });
      this.#version += 1;
      return list;
    } catch (thrown) {
      this.#failed.add(server);
      throw thrown;
    } finally {
      this.#askedMs.delete(server);
    }
  }

  async #pages(server: string, meta: AllListsOptions["meta"]): Promise<ServerSkills> {
    const skills: SkillEntry[] = [];
    const hints: CacheHints[] = [];
    const method = "skills/list";
    await readPages(
      async (params, timeoutMs) => {
        const page = await this.#options.relay.skills(
          server,
          { method, ...params },
          { timeoutMs, ...(meta && { meta }) },
        );
        hints.push(cacheHints(page));
        return page;
      },
      {
        server,
        method,
        member: "skills",
        timeoutMs: LIST_MS,
        onPage: (page) => {
          skills.push(
            ...page.filter((entry) => this.#isUsable(server, entry)).slice(0, MAX_SKILLS - skills.length),
          );
          return skills.length < MAX_SKILLS;
        },
      },
    );
    return { server, skills, ...mergedHints(hints) };
  }

  #isUsable(server: string, entry: unknown): entry is SkillEntry {
    const problem = skillProblem(entry);
    if (problem === undefined) return true;
    const uri = (entry as Partial<SkillEntry> | null)?.uri;
    const line = `server "${server}": the skill ${JSON.stringify(uri ?? "without a uri")} is left out: ${problem}`;
    if (!this.#reported.has(line)) this.#options.report?.(line);
    this.#reported.add(line);
    return false;
  }
}

type CacheHints = Pick<ServerSkills, "ttlMs" | "isPrivate">;

/** What an answer says about caching. Without a word it is neither cached nor shared. */
export function cacheHints({ ttlMs, cacheScope }: RawResult): CacheHints {
  const isUsable = Number.isSafeInteger(ttlMs) && (ttlMs as number) >= 0;
  return { ttlMs: isUsable ? (ttlMs as number) : 0, isPrivate: cacheScope !== "public" };
}

/** The smallest time; private if one part is. Nothing at all stays valid for no time. */
export function mergedHints(parts: readonly CacheHints[]): CacheHints {
  return {
    ttlMs: parts.length === 0 ? 0 : Math.min(...parts.map(({ ttlMs }) => ttlMs)),
    isPrivate: parts.some(({ isPrivate }) => isPrivate),
  };
}
