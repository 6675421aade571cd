import { type LocalContext, makeLocalContext, type ToolContext } from "indusagi/capabilities";
import type { Caller, ToolOutcome } from "indusagi/runtime";
import type { Capability, CapabilityCard, DeckFramework } from "induscode/deck";

interface CardRun {
  readonly outcome: ToolOutcome;
  readonly text: string;
  readonly structured: { readonly [member: string]: unknown };
}

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly caller?: Caller;
}

/** A card in a session of its own. */
export interface CardSession extends AsyncDisposable {
  readonly capability: Capability;
  readonly session: LocalContext;
  run(input: unknown, options?: CallOptions): Promise<CardRun>;
}

export function openCard(card: CapabilityCard, cwd: string, framework: DeckFramework = {}): CardSession {
  const capability = card.build({ cwd, framework });
  const session = makeLocalContext(cwd);
  return {
    capability,
    session,
    run: (input, options) => runCard(capability, session, input, options),
    [Symbol.asyncDispose]: () => session.close(),
  };
}

/** Runs one call as the deck's runner does. */
async function runCard(
  capability: Capability,
  session: LocalContext,
  input: unknown,
  { signal = new AbortController().signal, caller }: CallOptions = {},
): Promise<CardRun> {
  const call = { id: "c1", name: capability.name, input };
  const ctx: ToolContext = { ...session, signal, call, ...(caller ? { caller } : {}) };
  if (!capability.invoke) throw new Error(`${capability.name} has no invoke`);
  const outcome = await capability.invoke(call, ctx);
  const [first] = outcome.result.content;
  return {
    outcome,
    text: first?.kind === "text" ? first.text : "",
    structured: (outcome.result.structured ?? {}) as CardRun["structured"],
  };
}
