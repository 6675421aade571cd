import type { Capability } from "./card.ts";
import type { DeckContext } from "./deck-context.ts";

declare const CAPABILITY_ID: unique symbol;

/** The name of a capability, such as `read` or `server__tool`. Only `capabilityId` makes one. */
export type CapabilityId = string & { readonly [CAPABILITY_ID]: true };

export function capabilityId(name: string): CapabilityId {
  return name as CapabilityId;
}

/**
 * A named set of capabilities. The first two names are swapped in all editions and stay so: `authoring` has the read-only
 * built-in tools, `survey` all built-in tools, `all` these and the app cards.
 */
export type Profile = "authoring" | "survey" | "all";

/** Makes a capability for a context. Reads the handles of the context and has no side effects. */
export type BuildFn = (ctx: DeckContext) => Capability;

/** One row of the catalog. */
export interface CapabilityCard {
  readonly id: CapabilityId;
  /** A display name. */
  readonly title: string;
  /** One line for help and listings. */
  readonly summary: string;
  /** The profiles that this row names. See `inProfile` for the meaning of `all`. */
  readonly profiles: readonly Profile[];
  readonly build: BuildFn;
}

/** Whether a row belongs to a profile. `all` includes every row that names any profile. */
export function inProfile(card: Pick<CapabilityCard, "profiles">, profile: Profile): boolean {
  return profile === "all" ? card.profiles.length > 0 : card.profiles.includes(profile);
}
