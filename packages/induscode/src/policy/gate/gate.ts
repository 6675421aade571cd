import { describeError, untilAborted } from "indusagi/core";
import type { ToolDescriptor } from "indusagi/llm";
import {
  abortedOutcome,
  type Caller,
  type ToolBox,
  type ToolCall,
  type ToolOutcome,
  type ToolRefusal,
  unlistedOutcome,
  viewBox,
  wrapCalls,
} from "indusagi/runtime";
import { markReader } from "../../deck/contract/index.ts";
import { readerEnvironment } from "../commands/reader-environment.ts";
import type { CallEffect } from "../decide/call-effect.ts";
import { type Decision, decide, type PolicyRules } from "../decide/decide.ts";
import type { RuleSet } from "../rules/rule-set.ts";
import { suggestRule } from "../rules/suggest-rule.ts";
import type { ApprovalAnswer, Approver } from "./approval.ts";
import { ApprovedResumes } from "./approved-resumes.ts";
import type { Policy } from "./create-policy.ts";
import { disapprovedMessage, refusal, refusalMessage, refusedOutcome, unaskedMessage } from "./refusal.ts";

export interface GateOptions {
  /** Absent: a call that needs an approval is refused. */
  readonly approver?: Approver;
  /**
   * Called before a call runs that the user permitted: by an allow rule, by `bypass` mode or by an answer. Not called for
   * calls that need no permission, because they only read or run in a sandbox.
   */
  readonly onPermitted?: (call: ToolCall) => void;
}

/**
 * A box that runs only what the policy allows. Tools that a rule denies completely are not listed. A call that needs an
 * approval waits for the approver; without one it is refused. A refused call is a fault with the reason `policy`. The
 * outcome of a call that runs is the one of the inner box, unchanged.
 */
export function gate(box: ToolBox, policy: Policy, asking: Approver | GateOptions = {}): ToolBox {
  const options = typeof asking === "function" ? { approver: asking } : asking;
  const gatekeeper = new Gatekeeper(box, policy, options);
  const visible = viewBox(box, {
    show: (tool) => (isHidden(tool, policy.rules().ruleSet) ? undefined : tool),
    onShowChange: (listener) => policy.onChange(listener),
    // So that boxes around this one, which know only what it lists, refuse a hidden tool for the same reason.
    refusalOf: (name) => gatekeeper.refusalOf(name) ?? box.refusalOf?.(name),
  });
  return wrapCalls(visible, (call, signal, caller) => gatekeeper.run({ call, signal, caller }));
}

function isHidden({ name, origin }: ToolDescriptor, ruleSet: RuleSet): boolean {
  return ruleSet.hides({ tool: name, ...(origin ? { origin } : {}) }) !== undefined;
}

interface Request {
  readonly call: ToolCall;
  readonly signal: AbortSignal | undefined;
  readonly caller: Caller | undefined;
}

/** A call that waits for an approval. */
interface PendingCall extends Request {
  readonly descriptor: ToolDescriptor;
  readonly effect: CallEffect;
  readonly decision: Decision;
}

class Gatekeeper {
  readonly #box: ToolBox;
  readonly #policy: Policy;
  readonly #approver: Approver | undefined;
  readonly #onPermitted: GateOptions["onPermitted"];
  readonly #resumes = new ApprovedResumes();
  #listed: readonly ToolDescriptor[] | undefined;
  #byName: ReadonlyMap<string, ToolDescriptor> = new Map();

  constructor(box: ToolBox, policy: Policy, { approver, onPermitted }: GateOptions) {
    this.#box = box;
    this.#policy = policy;
    this.#approver = approver;
    this.#onPermitted = onPermitted;
  }

  async run(request: Request): Promise<ToolOutcome> {
    const { call } = request;
    const descriptor = this.#find(call.name);
    // Not left to the inner box: it must not run a tool that it does not list.
    if (!descriptor) return unlistedOutcome(call, this.#box.refusalOf);
    let effect: CallEffect;
    try {
      effect = this.#policy.examine(descriptor, call.input);
    } catch (thrown) {
      const message = `${call.name} was refused by the policy: its effect is not known: ${describeError(thrown)}`;
      return refusedOutcome(call, descriptor, message);
    }
    const decision = decide(effect, this.#rulesOf(request.caller));
    if (this.#policy.mode === "plan") markPlanned(call, effect);
    if (decision.verdict === "allow") {
      if (decision.by === "allow" || decision.by === "bypass") this.#onPermitted?.(call);
      return this.#forward(request);
    }
    if (decision.verdict === "deny")
      return refusedOutcome(call, descriptor, refusalMessage(call.name, decision));
    if (this.#resumes.take(call, request.caller)) return this.#runApproved(request);
    return this.#ask({ ...request, descriptor, effect, decision });
  }

  /** Why a tool is not listed, if a rule hides it. */
  refusalOf(name: string): ToolRefusal | undefined {
    const descriptor = this.#find(name);
    const rules = this.#policy.rules();
    if (!descriptor || !isHidden(descriptor, rules.ruleSet)) return undefined;
    try {
      const decision = decide(this.#policy.examine(descriptor, {}), rules);
      return refusal(descriptor, refusalMessage(name, decision));
    } catch {
      return refusal(descriptor, `${name} was refused by the policy`); // Its effect without arguments is not known.
    }
  }

  #forward({ call, signal, caller }: Request): Promise<ToolOutcome> {
    return this.#box.runner.run(call, signal, caller);
  }

  async #runApproved(request: Request): Promise<ToolOutcome> {
    this.#onPermitted?.(request.call);
    const outcome = await this.#forward(request);
    this.#resumes.note(request.call, outcome, request.caller);
    return outcome;
  }

  async #ask(pending: PendingCall): Promise<ToolOutcome> {
    const { call, descriptor, decision, signal } = pending;
    // Only what the mode asks can be answered by an allow rule: everything else ranks above it.
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
      return await this.#answered(pending, await untilAborted(asked, signal));
    } catch (thrown) {
      if (signal?.aborted) return abortedOutcome(call.id, call.name, false);
      const why = `the approver failed: ${describeError(thrown)}`;
      return refusedOutcome(call, descriptor, disapprovedMessage(call.name, decision, why));
    }
  }

  async #answered(pending: PendingCall, answer: ApprovalAnswer): Promise<ToolOutcome> {
    const { call, descriptor, decision } = pending;
    const refuse = (message: string): ToolOutcome => refusedOutcome(call, descriptor, message);
    if (!answer.allow) return refuse(disapprovedMessage(call.name, decision, answer.message));
    const { caller } = pending;
    if (answer.rule !== undefined) this.#policy.addRule("allow", answer.rule, this.#policy.ownerOf(caller));
    // The policy or the links of a path may have changed while the question was open.
    const now = decide(this.#policy.examine(descriptor, call.input), this.#rulesOf(caller));
    const isNew = now.by !== decision.by && (now.by === "protected" || now.by === "roots");
    if (now.verdict === "deny" || isNew) return refuse(refusalMessage(call.name, now));
    return this.#runApproved(pending);
  }

  #rulesOf(caller: Caller | undefined): PolicyRules {
    return this.#policy.rules(this.#policy.ownerOf(caller));
  }

  #find(name: string): ToolDescriptor | undefined {
    const listed = this.#box.descriptors();
    if (listed !== this.#listed) {
      this.#listed = listed;
      this.#byName = new Map(listed.map((descriptor) => [descriptor.name, descriptor]));
    }
    return this.#byName.get(name);
  }
}

/** In plan mode a command runs only because it reads, also if the user approved one of its paths. */
function markPlanned(call: ToolCall, { command }: CallEffect): void {
  if (!command?.isReadable) return;
  const { session, reading } = command;
  markReader(call, (signal) => readerEnvironment({ session, gitTop: reading?.gitTop }, { signal }));
}
