import { type Capability, type DeckContext, DeckFault, inProfile, type Profile } from "../contract/index.ts";
import { builtinDescriptors, builtinIds } from "./builtin-table.ts";

/** Builds one built-in tool. An unknown id is a `DeckFault` that lists the known ones. */
export function buildBuiltin(id: string, ctx: DeckContext): Capability {
  const row = builtinDescriptors().find((each) => each.id === id);
  if (row) return row.build(ctx);
  throw new DeckFault(
    "unknown_capability",
    `there is no built-in tool named ${JSON.stringify(id)}; known: ${builtinIds().join(", ")}`,
  );
}

/** Builds the built-in tools of a profile, in the order of the table. `all` has all twelve. */
export function buildBuiltinsForProfile(profile: Profile, ctx: DeckContext): Capability[] {
  return builtinDescriptors()
    .filter((row) => inProfile(row, profile))
    .map((row) => row.build(ctx));
}
