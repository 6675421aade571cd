import { verifies } from "@indus/testkit";
import {
  type CapabilityCard,
  capabilityCards,
  capabilityId,
  capabilityIds,
  capabilityIndex,
  cardProfiles,
  cardsForDeckProfile,
  cardsForProfile,
  findCard,
  hasCapability,
  inProfile,
  type Profile,
} from "induscode/deck";
import { expect } from "vitest";
import { firstPositions } from "../../../src/deck/catalog/catalog.ts";

const OBSERVING = ["read", "ls", "grep", "find", "websearch", "webfetch", "todo_read"];
const CHANGING = ["write", "edit", "bash", "process", "todo_set"];
const APP = ["todo", "bg-process", "task", "saas-action", "memory", "enter_plan_mode", "exit_plan_mode"];
const ALL = [...OBSERVING, ...CHANGING, ...APP];
const ids = (cards: readonly CapabilityCard[]): string[] => cards.map(({ id }) => id);

verifies("deck:catalog", "twelve built-in tools, then seven app cards, in one frozen array", () => {
  expect(ids(capabilityCards())).toEqual(ALL);
  expect(capabilityCards()).toBe(capabilityCards());
  expect(Object.isFrozen(capabilityCards())).toBe(true);
  expect(capabilityCards().every(Object.isFrozen)).toBe(true);
});

verifies("deck:catalog", "every row has a title and a summary, and builds a capability of its id", () => {
  for (const { id, title, summary, build } of capabilityCards()) {
    expect(title).toMatch(/^\S.*\S$/);
    expect(summary).toMatch(/^[A-Z].*\.$/);
    const { name, label, description, descriptor } = build({ cwd: process.cwd(), framework: {} });
    expect([name, descriptor.name, label]).toEqual([id, id, title]);
    expect(description).toBe(descriptor.description);
  }
});

verifies("deck:catalog", "every lookup has the rows of the catalog", () => {
  expect(capabilityIds()).toEqual(ALL);
  expect([...capabilityIndex()]).toEqual(ALL.map((id, position) => [id, position]));
  expect([...cardProfiles()]).toEqual(capabilityCards().map(({ id, profiles }) => [id, profiles]));
  for (const card of capabilityCards()) {
    expect(findCard(card.id)).toBe(card);
    expect(hasCapability(card.id)).toBe(true);
  }
  for (const unknown of ["", "Read", "s__tool", "toString", "__proto__"]) {
    expect(findCard(unknown)).toBeUndefined();
    expect(hasCapability(unknown)).toBe(false);
  }
});

verifies("deck:catalog", "of two rows with one id the index has the first", () => {
  const [read, ls] = capabilityCards();
  if (!read || !ls) throw new Error("the catalog is empty");
  expect([...firstPositions([read, ls, { ...ls, title: "again" }, read])]).toEqual([
    ["read", 0],
    ["ls", 1],
  ]);
});

for (const [profile, expected] of [
  ["authoring", OBSERVING],
  ["survey", [...OBSERVING, ...CHANGING]],
  ["all", ALL],
] as const satisfies (readonly [Profile, readonly string[]])[])
  verifies("deck:profiles", `${profile} has ${expected.length} cards`, () => {
    expect(ids(cardsForProfile(profile))).toEqual(expected);
    expect(ids(cardsForDeckProfile(profile))).toEqual(expected);
  });

verifies("deck:profiles", "rows name authoring and survey, survey alone, or all", () => {
  const profilesOf = (id: string): readonly Profile[] | undefined => cardProfiles().get(capabilityId(id));
  for (const id of OBSERVING) expect(profilesOf(id)).toEqual(["authoring", "survey"]);
  for (const id of CHANGING) expect(profilesOf(id)).toEqual(["survey"]);
  for (const id of APP) expect(profilesOf(id)).toEqual(["all"]);
});

verifies("deck:profiles", "a row without profiles, as of a mounted tool, is in none", () => {
  for (const profile of ["authoring", "survey", "all"] as const)
    expect(inProfile({ profiles: [] }, profile)).toBe(false);
});

verifies("deck:profiles", "an unknown profile is a fault that lists the known ones", () => {
  expect(() => cardsForDeckProfile("nope" as Profile)).toThrow(
    expect.objectContaining({
      kind: "unknown_capability",
      message: 'there is no profile "nope"; known: authoring, survey, all',
    }),
  );
});
