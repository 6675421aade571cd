import { escapeForDisplay, shortenText } from "indusagi/core";
import type { Caller } from "indusagi/runtime";
import type { ApprovalAnswer, ApprovalQuestion } from "../policy/index.ts";

const MAX_ARGUMENTS = 1_500;
const ONCE = "allow once";
const ALWAYS = "always allow";
const REFUSE = "refuse";

/**
 * Asks the calling client's user by elicitation. A client that cannot be asked gets a refusal that names the flag to add.
 */
export async function askClient(question: ApprovalQuestion): Promise<ApprovalAnswer> {
  const { caller, signal, suggestedRule } = question;
  if (!caller?.ask || !canShowForms(caller)) return { allow: false, message: cannotAsk(suggestedRule) };
  const choices = suggestedRule === undefined ? [ONCE, REFUSE] : [ONCE, ALWAYS, REFUSE];
  const params = {
    message: messageOf(question),
    requestedSchema: {
      type: "object",
      properties: { answer: { type: "string", title: "Run this call?", enum: choices } },
      required: ["answer"],
    },
  };
  const { approval } = await caller.ask({ approval: { method: "elicitation/create", params } }, signal);
  const answer = acceptedAnswer(approval);
  if (answer === ALWAYS && suggestedRule !== undefined) return { allow: true, rule: suggestedRule };
  return answer === ONCE ? { allow: true } : { allow: false, message: "the user refused it" };
}

function canShowForms({ can }: Caller): boolean {
  return can.elicit?.form === true;
}

function cannotAsk(suggestedRule: string | undefined): string {
  const remedy =
    suggestedRule === undefined ? "" : `; to allow it, add --allow ${JSON.stringify(suggestedRule)}`;
  return `this client cannot ask its user${remedy}`;
}

function messageOf({ call, decision, suggestedRule }: ApprovalQuestion): string {
  const given = shortenText(escapeForDisplay(JSON.stringify(call.input) ?? "nothing"), MAX_ARGUMENTS);
  const always = suggestedRule === undefined ? "" : ` "${ALWAYS}" adds the rule ${suggestedRule} for you.`;
  return `Run ${call.name} with ${given}? It needs approval because of ${decision.rule}.${always}`;
}

/** What the user chose, if the form was accepted. */
function acceptedAnswer(result: unknown): unknown {
  if (typeof result !== "object" || result === null) return undefined;
  const { action, content } = result as { readonly action?: unknown; readonly content?: unknown };
  if (action !== "accept" || typeof content !== "object" || content === null) return undefined;
  return (content as { readonly answer?: unknown }).answer;
}
