import { resolve } from "node:path";
import { createReadState, type LocalContextOptions, makeLocalContext } from "indusagi/capabilities";
import { describeError } from "indusagi/core";
import { cardsForProfile } from "../catalog/index.ts";
import { maybeWrapCheckpoint } from "../checkpoint/index.ts";
import {
  type Capability,
  type CapabilityCard,
  type DeckContext,
  DeckFault,
  type DeckFramework,
  type DeckResult,
  type Profile,
} from "../contract/index.ts";
import { ToolDeck } from "./tool-deck.ts";

export interface ProvisionOptions {
  /** The session of the native tools: roots for reading and writing, budget, and other backends. */
  readonly session?: Omit<LocalContextOptions, "readState">;
  /** Called once for each tool that cannot be offered, with the reason. */
  readonly report?: (message: string) => void;
}

const PROFILES: readonly Profile[] = ["authoring", "survey", "all"];

/** Builds the cards of a profile and returns them as a deck, with one session for all calls. */
export function provisionDeck(
  profile: Profile,
  ctx: DeckContext,
  { session, report }: ProvisionOptions = {},
): DeckResult<ToolDeck> {
  const cwd = resolve(ctx.cwd);
  const context = cwd === ctx.cwd ? ctx : { ...ctx, cwd };
  const capabilities = cardsForDeckProfile(profile).map((card) => build(card, context));
  const { readState } = ctx.framework;
  return new ToolDeck(
    capabilities,
    makeLocalContext(cwd, { ...session, ...(readState ? { readState } : {}) }),
    report,
  );
}

/** The rows of the catalog that `provisionDeck` builds for a profile. */
export function cardsForDeckProfile(profile: Profile): CapabilityCard[] {
  if (PROFILES.includes(profile)) return cardsForProfile(profile);
  throw new DeckFault(
    "unknown_capability",
    `there is no profile ${JSON.stringify(profile)}; known: ${PROFILES.join(", ")}`,
  );
}

function build(card: CapabilityCard, ctx: DeckContext): Capability {
  try {
    return maybeWrapCheckpoint(card.build(ctx), ctx);
  } catch (cause) {
    throw new DeckFault("build_failed", `card ${card.id} could not be built: ${describeError(cause)}`, {
      cause,
    });
  }
}

/**
 * A context for a deck. It gets a new read state unless the framework has one, so a file must be read before it is changed. For
 * a deck without that rule, pass an object of the same form without `readState`.
 */
export function createDeckContext(cwd: string, framework: DeckFramework = {}): DeckContext {
  return { cwd: resolve(cwd), framework: { readState: createReadState(), ...framework } };
}
