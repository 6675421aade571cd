import { escapeForDisplay, shortenText } from "indusagi/core";
import type { ToolDescriptor } from "indusagi/llm";
import { faultOutcome, type ToolCall, type ToolOutcome, type ToolRefusal } from "indusagi/runtime";
import type { Decision } from "../decide/decide.ts";

const MAX_MESSAGE = 1_000;

/** The outcome of a call that the policy refused. The message names what decided, and what to do. */
export function refusedOutcome(
  call: ToolCall,
  descriptor: Pick<ToolDescriptor, "origin">,
  message: string,
): ToolOutcome {
  const refused = refusal(descriptor, message);
  return faultOutcome(call.id, refused.message, refused.fault);
}

export function refusal({ origin }: Pick<ToolDescriptor, "origin">, message: string): ToolRefusal {
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

/** For a call that was refused without a question. */
export function refusalMessage(name: string, { by, rule, detail }: Decision): string {
  const why = detail === undefined ? "" : `: ${detail}`;
  const remedy =
    by === "plan" ? ". Only calls that change nothing run in plan mode; exit_plan_mode ends it" : "";
  return `${name} was refused by ${rule}${why}${remedy}`;
}

/** For a call that needs an approval where there is no approver. */
export function unaskedMessage(name: string, { rule }: Decision, suggestedRule: string | undefined): string {
  const remedy =
    suggestedRule === undefined ? "" : `; to allow it, add the allow rule ${JSON.stringify(suggestedRule)}`;
  return `${name} was refused: ${rule} requires an approval, and there is no approver${remedy}`;
}

/** For a call that the approver refused. */
export function disapprovedMessage(name: string, { rule }: Decision, message: string | undefined): string {
  const why = message === undefined || message === "" ? "" : `: ${message}`;
  return `${name} was refused by the approver, who was asked because of ${rule}${why}`;
}
