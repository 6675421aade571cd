import { closestText } from "./closest-text.ts";
import type { Span } from "./match-strategies.ts";
import { type EditPlan, MAX_COUNTED, MAX_REPLACED, MAX_TOLERANT_CHARS } from "./plan-edit.ts";
import { lineNumbersAt } from "./text-lines.ts";

export type RefusedEdit = Extract<EditPlan, { ok: false }>;

/** The text that the edit looked for, and the file. */
export interface SoughtText {
  /** The file's path as a model sees it. */
  readonly shown: string;
  readonly text: string;
  readonly wanted: string;
  /** Converts a piece of `text` to a readable form. */
  readonly show: (piece: string) => string;
}

/** Why the edit is not possible, and what to do. */
export async function explainRefusal(plan: RefusedEdit, sought: SoughtText): Promise<string> {
  const { shown } = sought;
  if (plan.why === "ambiguous") return explainAmbiguity(plan, sought);
  if (plan.why === "not_found") return `oldText is not in ${shown}; ${await nearby(sought)}`;
  if (plan.why === "too_large") return `${shown} would become too large; use a shell command`;
  return `oldText occurs more than ${MAX_REPLACED} times in ${shown}; use a shell command`;
}

/** The line numbers of the first few spans: `line 3`, `lines 3, 8, 9, ...`. */
export function lineList(spans: readonly Span[], text: string): string {
  const starts = spans.slice(0, MAX_LISTED).map((span) => span.start);
  const more = spans.length > MAX_LISTED ? ", ..." : "";
  return `${spans.length === 1 ? "line" : "lines"} ${lineNumbersAt(text, starts).join(", ")}${more}`;
}

const MAX_LISTED = 8;

function explainAmbiguity(
  plan: Extract<RefusedEdit, { why: "ambiguous" }>,
  { shown, text }: SoughtText,
): string {
  const count = plan.spans.length < MAX_COUNTED ? plan.spans.length : `${MAX_COUNTED} or more`;
  const how = plan.strategy === "exact" ? "" : `, ignoring ${plan.strategy}`;
  const remedy = `add more lines around it so that one place matches${plan.mayReplaceAll ? ", or set replaceAll" : ""}`;
  return `oldText occurs ${count} times in ${shown} (${lineList(plan.spans, text)})${how}; ${remedy}`;
}

async function nearby({ text, wanted, show }: SoughtText): Promise<string> {
  const closest = await closestText(text, wanted);
  if (closest) return `the closest text is at line ${closest.line}:\n${show(closest.text)}`;
  const strictly = text.length > MAX_TOLERANT_CHARS ? "; in a file this large it must match exactly" : "";
  return `read the file and copy the text exactly${strictly}`;
}
