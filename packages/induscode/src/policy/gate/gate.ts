import { contentHash, describeError, escapeForDisplay, shortenText, untilAborted } from "indusagi/core";
import type { ToolDescriptor } from "indusagi/llm";
import {
  abortedOutcome,
  answeredOutcome,
  type Caller,
  failureResult,
  faultOutcome,
  layerBox,
  type Tool,
  type ToolBox,
  type ToolCall,
  type ToolOutcome,
  type ToolRefusal,
  type ToolRunner,
} from "indusagi/runtime";
import { markReader } from "../../deck/contract/index.ts";
import { readerEnvironment } from "../commands/reader-environment.ts";
import type { CallEffect } from "../decide/call-effect.ts";
import { type Decision, decide, type PolicyRules } from "../decide/decide.ts";
import type { RuleSet } from "../rules/rule-set.ts";
import { suggestRule } from "../rules/suggest-rule.ts";
import type { Policy } from "./create-policy.ts";

/** A call that needs an approval, and why. */
export interface ApprovalQuestion {
  readonly call: ToolCall;
  readonly descriptor: ToolDescriptor;
  readonly effect: CallEffect;
  /** Why it asks. */
  readonly decision: Decision;
  /** An allow rule that would answer this question next time. Absent if none can. */
  readonly suggestedRule?: string;
  /** Who made the call, and may be able to answer. */
  readonly caller?: Caller;
  /** Aborts when the answer is no longer needed. */
  readonly signal: AbortSignal;
}

/** The answer to a question. */
export type ApprovalAnswer =
  | {
      readonly allow: true;
      /** An allow rule to add to the policy, such as the suggested one: "always allow". */
      readonly rule?: string;
    }
  | {
      readonly allow: false;
      /** Why, for the model. */
      readonly message?: string;
      /** What the tool would have answered: the call would have failed, so nobody was asked. */
      readonly failure?: string;
    };

/** Answers questions about calls, usually by asking a person. A rejection refuses the call. */
export type Approver = (question: ApprovalQuestion) => Promise<ApprovalAnswer>;

export interface GateOptions {
  /** Absent: a call that needs an approval is refused. */
  readonly approver?: Approver;
  /**
   * Called before running a call that the user permitted: by an allow rule, by `bypass` mode or by an answer. Not called for calls
   * that need no permission, because they only read or run in a sandbox.
   */
  readonly onPermitted?: (call: ToolCall) => void;
  /** Whether layers inside this one ask for the `examinedEffect` of a call. */
  readonly notesEffects?: boolean;
}

/**
 * A box that runs only what the policy allows. Tools that a rule denies completely are not listed. A call that needs an approval
 * waits for the approver; without one it is refused. A refused call is a fault with the reason `policy`. Outcomes of the inner
 * box pass through unchanged.
 */
export function gate(box: ToolBox, policy: Policy, asking: Approver | GateOptions = {}): ToolBox {
  const options = typeof asking === "function" ? { approver: asking } : asking;
  const gatekeeper = new Gatekeeper(box, policy, options);
  return layerBox(box, {
    list: (tools) => tools.filter(({ descriptor }) => !isHidden(descriptor, policy.rules().ruleSet)),
    call: (tool) => (call, signal, caller) => gatekeeper.run({ tool, call, signal, caller }),
    onListChange: (listener) => policy.onChange(listener),
    // Outer boxes know only what this one lists: this lets them refuse a hidden tool for the same reason.
    refusalOf: (name) => {
      const hidden = box.descriptors().find((descriptor) => descriptor.name === name);
      return (hidden && gatekeeper.refusalOf(hidden)) ?? box.refusalOf?.(name);
    },
  });
}

function isHidden({ name, origin }: ToolDescriptor, ruleSet: RuleSet): boolean {
  return ruleSet.hides({ tool: name, ...(origin ? { origin } : {}) }) !== undefined;
}

const effects = new WeakMap<ToolCall, CallEffect>();

/** What a call may do, as examined by the gate that let it run. Undefined if it passed none that notes it. */
export function examinedEffect(call: ToolCall): CallEffect | undefined {
  return effects.get(call);
}

interface Request {
  readonly tool: Tool;
  readonly call: ToolCall;
  readonly signal: AbortSignal | undefined;
  readonly caller: Caller | undefined;
}

/** A call that waits for an approval. */
interface PendingCall extends Request {
  readonly effect: CallEffect;
  readonly decision: Decision;
}

class Gatekeeper {
  readonly #box: ToolBox;
  readonly #policy: Policy;
  readonly #approver: Approver | undefined;
  readonly #onPermitted: GateOptions["onPermitted"];
  readonly #notesEffects: boolean;
  readonly #resumes = new ApprovedResumes();

  constructor(box: ToolBox, policy: Policy, { approver, onPermitted, notesEffects = false }: GateOptions) {
    this.#box = box;
    this.#policy = policy;
    this.#approver = approver;
    this.#onPermitted = onPermitted;
    this.#notesEffects = notesEffects;
  }

  /** Not `async`: an allowed call is run with no promise in between. */
  run(request: Request): Promise<ToolOutcome> {
    const { call, tool } = request;
    const { descriptor } = tool;
    let effect: CallEffect;
    try {
      effect = this.#policy.examine(descriptor, call.input, call);
      if (this.#notesEffects) effects.set(call, effect);
    } catch (thrown) {
      const message = `${call.name} was refused by the policy: its effect is not known: ${describeError(thrown)}`;
      return Promise.resolve(refusedOutcome(call, descriptor, message));
    }
    const decision = decide(effect, this.#rulesOf(request.caller));
    if (this.#policy.mode === "plan") markPlanned(call, effect);
    if (decision.verdict === "allow") {
      if (decision.by === "allow" || decision.by === "bypass") this.#onPermitted?.(call);
      return tool.run(call, request.signal, request.caller);
    }
    if (decision.verdict === "deny")
      return Promise.resolve(refusedOutcome(call, descriptor, refusalMessage(call.name, decision)));
    if (this.#resumes.take(call, request.caller)) return this.#runApproved(request, tool);
    return this.#ask({ ...request, effect, decision });
  }

  /** Why a tool is not listed, if a rule hides it. */
  refusalOf(descriptor: ToolDescriptor): ToolRefusal | undefined {
    const { name } = descriptor;
    const rules = this.#policy.rules();
    if (!isHidden(descriptor, rules.ruleSet)) return undefined;
    try {
      const decision = decide(this.#policy.examine(descriptor, {}), rules);
      return refusal(descriptor, refusalMessage(name, decision));
    } catch {
      return refusal(descriptor, `${name} was refused by the policy`); // Its effect without arguments is not known.
    }
  }

  async #runApproved({ call, signal, caller }: Request, runner: ToolRunner): Promise<ToolOutcome> {
    this.#onPermitted?.(call);
    const outcome = await runner.run(call, signal, caller);
    this.#resumes.note(call, outcome, caller);
    return outcome;
  }

  async #ask(pending: PendingCall): Promise<ToolOutcome> {
    const { call, tool, decision, signal } = pending;
    const { descriptor } = tool;
    // An allow rule can only answer what the mode asks: everything else takes precedence over it.
    const suggestedRule =
      decision.by === "mode" ? suggestRule(pending.effect, this.#policy.servers?.()) : undefined;
    if (!this.#approver)
      return refusedOutcome(call, descriptor, unaskedMessage(call.name, decision, suggestedRule));
    if (signal?.aborted) return abortedOutcome(call.id, call.name, false);
    try {
      const { effect, caller } = pending;
      const asked = this.#approver({
        call,
        descriptor,
        effect,
        decision,
        signal: signal ?? new AbortController().signal,
        ...(caller ? { caller } : {}),
        ...(suggestedRule === undefined ? {} : { suggestedRule }),
      });
      const answer = untilAborted(asked, signal);
      return await this.#answered(pending, await (caller?.waitFor?.(answer) ?? answer));
    } catch (thrown) {
      if (signal?.aborted) return abortedOutcome(call.id, call.name, false);
      const why = `the approver failed: ${describeError(thrown)}`;
      return refusedOutcome(call, descriptor, disapprovedMessage(call.name, decision, why));
    }
  }

  async #answered(pending: PendingCall, answer: ApprovalAnswer): Promise<ToolOutcome> {
    const { call, tool, decision } = pending;
    const { descriptor } = tool;
    const refuse = (message: string): ToolOutcome => refusedOutcome(call, descriptor, message);
    if (!answer.allow && answer.failure !== undefined)
      return answeredOutcome(call.id, failureResult(answer.failure));
    if (!answer.allow) return refuse(disapprovedMessage(call.name, decision, answer.message));
    const { caller } = pending;
    if (answer.rule !== undefined) this.#policy.addRule("allow", answer.rule, this.#policy.ownerOf(caller));
    // The policy, the arguments or the links of a path may have changed while the question was open. `call` is not passed: it has
    // the arguments coerced before.
    const effect = this.#policy.examine(descriptor, call.input);
    if (this.#notesEffects) effects.set(call, effect);
    const now = decide(effect, this.#rulesOf(caller));
    const isNew = now.by !== decision.by && (now.by === "protected" || now.by === "roots");
    if (now.verdict === "deny" || isNew) return refuse(refusalMessage(call.name, now));
    // Looks the tool up again: it may have been changed or withheld meanwhile.
    return this.#runApproved(pending, this.#box.runner);
  }

  #rulesOf(caller: Caller | undefined): PolicyRules {
    return this.#policy.rules(this.#policy.ownerOf(caller));
  }
}

/** In plan mode a command runs only because it reads, even if the user approved one of its paths. */
function markPlanned(call: ToolCall, { command }: CallEffect): void {
  if (!command?.isReadable) return;
  const { session, reading } = command;
  markReader(call, (signal) => readerEnvironment({ session, gitTop: reading?.gitTop }, { signal }));
}

const MAX_MESSAGE = 1_000;

/** The outcome of a refused call. The message names what decided, and what to do. */
function refusedOutcome(
  call: ToolCall,
  descriptor: Pick<ToolDescriptor, "origin">,
  message: string,
): ToolOutcome {
  const refused = refusal(descriptor, message);
  return faultOutcome(call.id, refused.message, refused.fault);
}

function refusal({ origin }: Pick<ToolDescriptor, "origin">, message: string): ToolRefusal {
  return {
    message: shortenText(escapeForDisplay(message), MAX_MESSAGE),
    fault: {
      kind: "tool_error",
      reason: "policy",
      retrySafe: true,
      ...(origin ? { server: origin.server } : {}),
    },
  };
}

/** For a call that was refused without asking. */
function refusalMessage(name: string, { by, rule, detail }: Decision): string {
  const why = detail === undefined ? "" : `: ${detail}`;
  const remedy =
    by === "plan" ? ". Only calls that change nothing run in plan mode; exit_plan_mode ends it" : "";
  return `${name} was refused by ${rule}${why}${remedy}`;
}

/** For a call that needs an approval where there is no approver. */
function unaskedMessage(name: string, { rule }: Decision, suggestedRule: string | undefined): string {
  const remedy =
    suggestedRule === undefined ? "" : `; to allow it, add the allow rule ${JSON.stringify(suggestedRule)}`;
  return `${name} was refused: ${rule} requires an approval, and there is no approver${remedy}`;
}

/** For a call that the approver refused. */
function disapprovedMessage(name: string, { rule }: Decision, message: string | undefined): string {
  const why = message === undefined || message === "" ? "" : `: ${message}`;
  return `${name} was refused by the approver, who was asked because of ${rule}${why}`;
}

const MAX_RESUMES = 256;

/**
 * Approved calls that wait for answers. Such a call is repeated with the answers, and the repetition needs no second approval:
 * same tool, same arguments, same caller, same state, and only once.
 */
class ApprovedResumes {
  readonly #keys = new Set<string>();

  /** Remembers an approved call if it was suspended. */
  note(call: ToolCall, { suspended }: ToolOutcome, caller: Caller | undefined): void {
    const key = suspended && resumeKey(call, suspended.state, caller);
    if (key === undefined) return;
    this.#keys.add(key);
    for (const oldest of this.#keys) {
      if (this.#keys.size <= MAX_RESUMES) break;
      this.#keys.delete(oldest);
    }
  }

  /** Whether this call repeats an approved one. The approval is used up. */
  take(call: ToolCall, caller: Caller | undefined): boolean {
    if (!caller?.resume || this.#keys.size === 0) return false;
    const key = resumeKey(call, caller.resume.state, caller);
    return key !== undefined && this.#keys.delete(key);
  }
}

function resumeKey(
  { name, input }: ToolCall,
  state: string | undefined,
  caller: Caller | undefined,
): string | undefined {
  try {
    return contentHash([name, input ?? null, state ?? null, caller?.key ?? null, caller?.principal ?? null]);
  } catch {
    return undefined; // Arguments that are not JSON: the repetition asks again.
  }
}
