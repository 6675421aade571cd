import { builtinCards } from "../builtin/index.ts";
import { appNovelCards } from "../cards/index.ts";
import { type CapabilityCard, type CapabilityId, inProfile, type Profile } from "../contract/index.ts";

// Built on first use: importing the deck must be cheap.
let catalog: readonly CapabilityCard[] | undefined;

/** The catalog: the twelve built-in tools, then the seven app cards. Always the same frozen array. */
export function capabilityCards(): readonly CapabilityCard[] {
  catalog ??= Object.freeze([...builtinCards(), ...appNovelCards()]);
  return catalog;
}

/** The position of each id in the catalog. */
export function capabilityIndex(): ReadonlyMap<CapabilityId, number> {
  return firstPositions(capabilityCards());
}

/** The ids, in the order of the catalog. */
export function capabilityIds(): CapabilityId[] {
  return capabilityCards().map(({ id }) => id);
}

/** Whether the catalog has a row with this id. */
export function hasCapability(id: string): boolean {
  return findCard(id) !== undefined;
}

/** The row with this id. */
export function findCard(id: string): CapabilityCard | undefined {
  return capabilityCards().find((card) => card.id === id);
}

/** The profiles that each row names. */
export function cardProfiles(): ReadonlyMap<CapabilityId, readonly Profile[]> {
  return new Map(capabilityCards().map(({ id, profiles }) => [id, profiles]));
}

/** The rows of a profile, in the order of the catalog. */
export function cardsForProfile(profile: Profile): CapabilityCard[] {
  return capabilityCards().filter((card) => inProfile(card, profile));
}

/** The first of several rows with one id counts. */
export function firstPositions(cards: readonly CapabilityCard[]): ReadonlyMap<CapabilityId, number> {
  const positions = new Map<CapabilityId, number>();
  for (const [position, { id }] of cards.entries()) if (!positions.has(id)) positions.set(id, position);
  return positions;
}
