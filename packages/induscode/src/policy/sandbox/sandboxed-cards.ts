import type { Shell, ShellWrap, ToolContext } from "indusagi/capabilities";
import type { JsonSchema } from "indusagi/llm";
import {
  answeredOutcome,
  argumentsOf,
  failureResult,
  noteArguments,
  type ToolCall,
  type ToolOutcome,
} from "indusagi/runtime";
import {
  type Capability,
  COMMAND_TOOLS,
  readerEnvironmentOf,
  type ToolEffect,
} from "../../deck/contract/index.ts";
import type { Sandbox } from "./open-sandbox.ts";
import type { SandboxAccess } from "./sandbox-plan.ts";

export interface SandboxedCards {
  /** The card of a session with a sandbox. Cards that run no commands stay as they are. */
  readonly wrap: (card: Capability) => Capability;
  /** Lets a call run outside the sandbox once, because the user permitted it. */
  readonly permit: (call: ToolCall) => void;
}

/** The argument with which a model asks to run outside the sandbox. */
const OUTSIDE = "outsideSandbox";

/**
 * Makes the tools that run commands use a sandbox. A command runs inside unless the user permitted otherwise, and with `isStrict`
 * always. In plan mode it always runs inside and can change nothing. The gate decides which calls are permitted and marks those
 * that only read; a call that did not pass a gate runs inside.
 */
export function sandboxedCards(
  sandbox: Pick<Sandbox, "wrap" | "writable" | "scratch" | "writeProblem">,
  { isStrict }: { readonly isStrict: boolean },
): SandboxedCards {
  const permitted = new WeakSet<ToolCall>();
  const isPermitted = (call: ToolCall): boolean => permitted.delete(call) && !isStrict;
  const wayOut = isStrict
    ? "--sandbox on allows nothing else"
    : `if it needs more, call it again with ${OUTSIDE}: true, which needs an approval`;
  const note = `[sandbox] the command had no network and could write only in ${sandbox.writable}, without protected paths; ${wayOut}`;
  const planNote = `[sandbox] in plan mode the command had no network and could write only in ${sandbox.scratch}`;
  const run: RunCard = async (card, parameters, call, ctx) => {
    const { rest } = splitArguments(argumentsOf(call, parameters));
    const inner = { ...call, input: rest };
    noteArguments(inner, card.parameters);
    const isFree = isPermitted(ctx.call);
    const within = async (access: SandboxAccess): Promise<ToolOutcome> => {
      const shell = sandboxedShell(ctx.shell, (launch) => sandbox.wrap(launch, access));
      return withNote(await invoked(card, inner, { ...ctx, shell }), access === "write" ? note : planNote);
    };
    if (readerEnvironmentOf(ctx.call)) return within(isFree ? "read-anywhere" : "read");
    return isFree ? invoked(card, inner, ctx) : within("write");
  };
  return {
    permit: (call) => void permitted.add(call),
    wrap: (card) => (isCommandCard(card) ? described(card, { isStrict, sandbox, run }) : card),
  };
}

/** For when a sandbox is required but missing: refuses every command. */
export function refusedCards(problem: string): Pick<SandboxedCards, "wrap"> {
  return {
    wrap: (card) => {
      if (!isCommandCard(card)) return card;
      const refused = failureResult(`${card.name} was refused: ${problem}`);
      return {
        ...copied(card),
        // Do not ask about a command that cannot run.
        effect: (input) => ({ ...effectOf(card, input), sandboxed: true }),
        run: async () => refused,
        invoke: async (call) => answeredOutcome(call.id, refused),
      };
    },
  };
}

function isCommandCard({ name, descriptor }: Capability): boolean {
  return COMMAND_TOOLS.has(name) && !descriptor.origin;
}

interface DescribeOptions {
  readonly isStrict: boolean;
  readonly sandbox: Pick<Sandbox, "writable" | "writeProblem">;
  readonly run: RunCard;
}

/** Runs a call of a card, described with these parameters. */
type RunCard = (
  card: Capability,
  parameters: JsonSchema,
  call: ToolCall,
  ctx: ToolContext,
) => Promise<ToolOutcome>;

/** The card with the text about the sandbox and the argument to run outside. */
function described(card: Capability, { isStrict, sandbox, run }: DescribeOptions): Capability {
  // Otherwise only plan mode's commands run inside, and the others ask as without a sandbox.
  const isOffered = isStrict || sandbox.writeProblem === undefined;
  const description = isOffered ? `${card.description} ${aboutSandbox(sandbox.writable)}` : card.description;
  const parameters = isStrict || !isOffered ? card.parameters : withOutside(card.parameters);
  const invoke = (call: ToolCall, ctx: ToolContext): Promise<ToolOutcome> => run(card, parameters, call, ctx);
  return {
    ...copied(card),
    description,
    parameters,
    descriptor: { ...card.descriptor, description, parameters },
    effect: (input) => {
      const { rest, outside } = splitArguments(input);
      return { ...effectOf(card, rest), sandboxed: isOffered && (isStrict || !outside) };
    },
    run: async (input, ctx) => {
      const { result } = await invoke({ ...ctx.call, input }, ctx);
      return result ?? failureResult(`${card.name} returned no result`);
    },
    invoke,
  };
}

function aboutSandbox(writable: string): string {
  return (
    `Commands run in a sandbox: no network, no processes of others, and writes only in ${writable}; ` +
    ".git and the configuration of agents and editors are read-only."
  );
}

/** Copies a card. It may be a class instance, so spreading is not enough. */
function copied(card: Capability): Capability {
  const { name, label, description, parameters, readOnly, descriptor } = card;
  return { name, label, description, parameters, readOnly, descriptor, run: card.run.bind(card) };
}

function effectOf(card: Capability, input: unknown): ToolEffect {
  return card.effect?.(input) ?? { readOnly: false };
}

async function invoked(card: Capability, call: ToolCall, ctx: ToolContext): Promise<ToolOutcome> {
  if (card.invoke) return card.invoke(call, ctx);
  return answeredOutcome(call.id, await card.run(call.input, ctx));
}

function withOutside(parameters: JsonSchema): JsonSchema {
  const properties = parameters["properties"] as { readonly [name: string]: JsonSchema } | undefined;
  const outside = {
    type: "boolean",
    description:
      "Run the command outside the sandbox, after an approval. Only if it needs the network, must be reached by other programs, or must write elsewhere.",
  };
  return { ...parameters, properties: { ...properties, [OUTSIDE]: outside } };
}

/** The arguments without our own. */
function splitArguments(used: unknown): { readonly rest: unknown; readonly outside: boolean } {
  if (typeof used !== "object" || used === null || !(OUTSIDE in used)) return { rest: used, outside: false };
  const { [OUTSIDE]: outside, ...rest } = used as { readonly [name: string]: unknown };
  return { rest, outside: outside === true };
}

function sandboxedShell(shell: Shell, wrap: ShellWrap): Shell {
  return {
    exec: (command, options) => shell.exec(command, { ...options, wrap }),
    spawn: (command, options) => shell.spawn(command, { ...options, wrap }),
  };
}

/** Only for a failed command: the sandbox may be the cause. */
function withNote(outcome: ToolOutcome, note: string): ToolOutcome {
  const { result, isError, fault, id } = outcome;
  if (!isError || !result || fault) return outcome;
  const [first, ...rest] = result.content;
  if (first?.kind !== "text" || rest.length > 0) return outcome;
  return answeredOutcome(id, { ...result, content: [{ ...first, text: `${first.text}\n${note}` }] });
}
