import type { ReadStateHandle } from "indusagi/capabilities";
import { shellWord } from "indusagi/core";
import type { ApprovalQuestion, Approver } from "../../policy/index.ts";
import { suggestRules } from "../../policy/internal.ts";
import type { SessionUser } from "../contract.ts";
import type { KeptRules } from "./rule-file.ts";

export interface ApproverOptions {
  readonly cwd: string;
  /** Absent: every question becomes a refusal that names the rule to add. */
  readonly user?: Pick<SessionUser, "approve"> | undefined;
  readonly rules?: KeptRules | undefined;
  /** The files that the session has seen. */
  readonly readState?: ReadStateHandle | undefined;
  /** The ids of the approved servers, see `PolicyOptions`. */
  readonly servers?: (() => readonly string[]) | undefined;
  /** Why commands do not run in a sandbox, where they would need no approval. */
  readonly sandboxProblem?: string | undefined;
  readonly notice: (message: string) => void;
}

/**
 * Asks the user the gate's questions, one at a time, and keeps the rules answered with "always". A change of a file that would
 * fail anyway is refused without asking.
 */
export function sessionApprover(options: ApproverOptions): Approver {
  const { cwd, user, rules, readState, servers, notice, sandboxProblem } = options;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    const next = last.then(ask, ask);
    last = next;
    return next;
  };
  if (!user) {
    const noticed = once(notice);
    return async (question) => ({
      allow: false,
      message: refusal(question, { notice: noticed, sandboxProblem }),
    });
  }
  return (question) =>
    inTurn(async () => {
      question.signal.throwIfAborted();
      const { previewCall } = await import("./preview-call.ts");
      const { call, descriptor, decision, signal, caller } = question;
      const agent = caller?.client?.name;
      const { preview, failure } = await previewCall(question, { cwd, signal, readState });
      // Elsewhere the reason would tell the model about a file that it may not see unasked.
      if (failure !== undefined && decision.by === "mode") return { allow: false, failure };
      const answer = await user.approve({
        call,
        descriptor,
        reason: decision.rule,
        preview,
        rules: decision.by === "mode" ? suggestRules(question.effect, servers?.()) : [],
        signal,
        ...(agent === undefined ? {} : { agent }),
      });
      if (answer.allow && answer.rule !== undefined) rules?.add(answer.rule);
      return answer;
    });
}

/** A model may try the same call several times; the user is told once. */
function once(notice: (message: string) => void): (message: string) => void {
  const given = new Set<string>();
  return (message) => {
    if (given.has(message)) return;
    given.add(message);
    notice(message);
  };
}

function refusal(
  { call, decision, suggestedRule, effect }: ApprovalQuestion,
  {
    notice,
    sandboxProblem,
  }: Pick<ApproverOptions, "notice"> & { readonly sandboxProblem: string | undefined },
): string {
  const why = effect.command && sandboxProblem !== undefined ? `; ${sandboxProblem}` : "";
  const remedy =
    suggestedRule === undefined
      ? `${decision.rule} always asks`
      : `to allow it, run indus again with --allow ${shellWord(suggestedRule)}${why}`;
  notice(
    `${call.name} was refused: ${decision.rule} requires approval, and there is no user to ask; ${remedy}`,
  );
  return `there is no user to ask in this session; ${remedy}`;
}
