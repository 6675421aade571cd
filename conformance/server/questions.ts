import type { Question } from "indusagi/runtime";

/** A form with these fields, all of them required unless said otherwise. */
export function form(
  message: string,
  properties: { readonly [field: string]: object },
  required: readonly string[] = Object.keys(properties),
): Question {
  return {
    method: "elicitation/create",
    params: { mode: "form", message, requestedSchema: { type: "object", properties, required } },
  };
}

/** A question for a model. */
export function prompt(text: string, maxTokens = 100): Question {
  const messages = [{ role: "user", content: { type: "text", text } }];
  return { method: "sampling/createMessage", params: { messages, maxTokens } };
}

export const roots: Question = { method: "roots/list", params: {} };

/** What was filled into a form; `undefined` when it was not, or the answer is none. */
export function acceptedFields(answer: unknown): { readonly [field: string]: unknown } | undefined {
  if (!isRecord(answer) || answer["action"] !== "accept" || !isRecord(answer["content"])) return undefined;
  return answer["content"];
}

/** What a model said; `undefined` when the answer is none. */
export function modelText(answer: unknown): string | undefined {
  const content = isRecord(answer) ? answer["content"] : undefined;
  const text = isRecord(content) ? content["text"] : undefined;
  return typeof text === "string" ? text : undefined;
}

function isRecord(value: unknown): value is { readonly [member: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
