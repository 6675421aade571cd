import type { ToolContext } from "indusagi/capabilities";
import { CoreError, type Environment } from "indusagi/core";
import type { JsonSchema, ToolDescriptor } from "indusagi/llm";
import type { ToolBox, ToolCall, ToolOutcome, ToolResult } from "indusagi/runtime";
import type { DeckContext } from "./handles.ts";

/** What one call may do, for a policy to decide. */
export interface ToolEffect {
  /** The call changes nothing. */
  readonly readOnly: boolean;
  /** The call may delete or overwrite data. Absent means unknown; a read-only call is never destructive. */
  readonly destructive?: boolean;
  /** The files and folders that the call uses, as the model wrote them. Absent means unknown. */
  readonly paths?: readonly string[];
  /**
   * Where a command runs. True: in a sandbox without network that can change only the session's folder. False: outside an
   * available sandbox, as the call asks. Absent: there is no sandbox.
   */
  readonly sandboxed?: boolean;
}

/** Our own tools that run a command line. */
export const COMMAND_TOOLS: ReadonlySet<string> = new Set(["bash", "process", "bg-process"]);

/** One tool of the deck. Native tools, app cards and mounted tools all have this form. */
export interface Card {
  /** The name in calls. */
  readonly name: string;
  /** A display name. */
  readonly label: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  /** True if no call of this tool changes anything. */
  readonly readOnly: boolean;
  /** The description of the tool in a box. Always the same object. */
  readonly descriptor: ToolDescriptor;
  /** What a call may do, if that depends on the input. Gets the input coerced as for `run`. Never throws. */
  effect?(input: unknown): ToolEffect;
  /**
   * Runs one call and returns the result. Never rejects: a failure is a result with `isError`. The deck's runner coerces
   * `input` by `parameters` but does not check it.
   */
  run(input: unknown, ctx: ToolContext): Promise<ToolResult>;
  /**
   * Runs one call and returns its whole outcome. The deck's runner prefers it to `run`, because a result alone lacks wire form,
   * fault and suspension. Gets the input as received. Never rejects, and ends when the signal aborts.
   */
  invoke?(call: ToolCall, ctx: ToolContext): Promise<ToolOutcome>;
}

/** A callable of the deck. */
export type Capability = Card;

/** Capabilities that may change while the deck is in use, such as those of mounted servers. */
export interface CapabilitySource {
  /** The current capabilities. An unchanged capability is the same object each time. */
  list(): readonly Capability[];
  /** Calls `listener` after every change. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
  /** Why a tool that is not listed is refused; see `ToolBox.refusalOf`. */
  readonly refusalOf?: ToolBox["refusalOf"];
}

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

/**
 * Why a function of the deck failed:
 *
 * - `unknown_capability`: no capability has this id
 * - `build_failed`: a card could not be built
 * - `bridge`: servers could not be mounted as configured
 * - `backend`: a handle is missing or failed
 */
export type DeckFaultKind = "unknown_capability" | "build_failed" | "bridge" | "backend";

/** A failure of the deck. */
export class DeckFault extends CoreError<DeckFaultKind> {}

/** The result of a function that throws `DeckFault` when it fails. */
export type DeckResult<T> = T;

/** Makes the environment that keeps a proven reader read-only. A rejection refuses the command. */
type ReaderEnvironment = (signal: AbortSignal) => Promise<Environment>;

const environments = new WeakMap<ToolCall, ReaderEnvironment>();

/** Marks a call that is allowed only because its command reads, in this environment. Called by a gate in plan mode. */
export function markReader(call: ToolCall, environment: ReaderEnvironment): void {
  environments.set(call, environment);
}

/** The environment that a call must run in. Undefined if it may do more than read. */
export function readerEnvironmentOf(call: ToolCall | undefined): ReaderEnvironment | undefined {
  return call && environments.get(call);
}
