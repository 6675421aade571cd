import type { ConfigProfile, NativeProfile } from "indusagi/config";
import { closestNames, Listeners } from "indusagi/core";
import type { ToolDescriptor } from "indusagi/llm";
import { selectTools } from "../../boot/tools/internal.ts";
import { capabilityIds, cardsForProfile } from "../../deck/catalog/index.ts";
import type { Profile } from "../../deck/contract/index.ts";
import { canonToolName, isMountedPattern, type ServeProfile } from "../../launch/internal.ts";
import { type Glob, matchesGlob, parseGlob } from "../../policy/internal.ts";

/** The deck's profile for each of ours. */
export const DECK_PROFILES: { readonly [profile in ServeProfile]: Profile | "none" } = {
  none: "none",
  "read-only": "authoring",
  full: "survey",
  all: "all",
};

/** From the fewest tools to all: each profile includes those before it. */
const BY_SIZE: readonly NativeProfile[] = ["none", "read-only", "full", "all"];

/** A named subset of what a gateway offers. */
export type GatewayProfile = Omit<ConfigProfile, "source">;

/** The profiles that every gateway has: all tools of the servers, and up to the native tools that it offers. */
function standardProfiles(offered: ServeProfile): readonly GatewayProfile[] {
  return BY_SIZE.slice(0, BY_SIZE.indexOf(offered) + 1).map((name) => ({ name, native: name }));
}

/** Whether to keep a tool, given the ids of the approved servers. */
type Filter = (tool: ToolDescriptor, approved: readonly string[]) => boolean;

const filters = new WeakMap<GatewayProfile, Filter>();

/** Decides whether a tool belongs to a profile. */
export function profileFilter(profile: GatewayProfile): Filter {
  const filter = filters.get(profile) ?? createFilter(profile);
  filters.set(profile, filter);
  return filter;
}

/** A tool that is neither native nor a server's, such as `indus__status`, belongs to every profile. */
function createFilter({ servers, tools = [], native = "all" }: GatewayProfile): Filter {
  const globs = servers?.map((pattern) => parseGlob(pattern));
  const words = selectTools(tools);
  const cards = namesOf(capabilityIds());
  const own = namesOf(cardsOf(native));
  return (tool, approved) => {
    const { origin, name } = tool;
    if (origin) return isAmong(origin.server, globs) && words.keepsMounted(tool, approved);
    const canon = canonToolName(name);
    return !cards.has(canon) || (own.has(canon) && words.keepsCard(name));
  };
}

/** Whether a server's resources and prompts belong to a profile: all of them, if the profile has the server. */
export function hasServer({ servers }: GatewayProfile, server: string): boolean {
  return isAmong(
    server,
    servers?.map((pattern) => parseGlob(pattern)),
  );
}

/** A profile's unknown tools and servers, one line each. Patterns for tools of servers are not checked. */
export async function profileProblems(
  { name, tools = [], servers = [] }: GatewayProfile,
  ids: readonly string[],
): Promise<string[]> {
  const cards = namesOf(capabilityIds());
  const unknown = tools.filter((word) => !isMountedPattern(word) && !cards.has(canonToolName(word)));
  const unused = servers.filter((pattern) => !ids.some((id) => matchesGlob(id, parseGlob(pattern))));
  const line = async (what: string, word: string, known: readonly string[]): Promise<string> => {
    const [near] = await closestNames(word, known);
    const hint = near === undefined ? "" : `; did you mean ${near}?`;
    return `profile "${name}": there is no ${what} named ${JSON.stringify(word)}${hint}`;
  };
  return Promise.all([
    ...unknown.map((word) => line("tool", word, capabilityIds())),
    ...unused.map((pattern) => line("server", pattern, ids)),
  ]);
}

function isAmong(server: string, globs: readonly Glob[] | undefined): boolean {
  return globs === undefined || globs.some((glob) => matchesGlob(server, glob));
}

function cardsOf(native: NativeProfile): readonly string[] {
  const profile = DECK_PROFILES[native];
  return profile === "none" ? [] : cardsForProfile(profile).map(({ id }) => id);
}

function namesOf(ids: readonly string[]): ReadonlySet<string> {
  return new Set(ids.map(canonToolName));
}

/** A gateway's profiles, which change with its configuration. */
export class LiveProfiles {
  readonly #builtin: readonly GatewayProfile[];
  readonly #changes = new Listeners();
  #configured: readonly GatewayProfile[];

  /** `offered`: which native tools the gateway offers. */
  constructor(offered: ServeProfile, configured: readonly GatewayProfile[]) {
    this.#builtin = standardProfiles(offered);
    this.#configured = configured;
  }

  all(): readonly GatewayProfile[] {
    return [...this.#builtin, ...this.#configured];
  }

  find(name: string): GatewayProfile | undefined {
    return this.all().find((profile) => profile.name === name);
  }

  replace(configured: readonly GatewayProfile[]): void {
    this.#configured = configured;
    this.#changes.emit();
  }

  /** Calls the listener when a profile may have changed, for as long as the gateway serves. */
  onChange(listener: () => void): void {
    this.#changes.add(listener);
  }
}
