import { closestText } from "./closest-text.ts";
import type { Span } from "./match-strategies.ts";
import { type EditPlan, MAX_COUNTED, MAX_REPLACED, MAX_TOLERANT_CHARS } from "./plan-edit.ts";
import { lineNumbersAt } from "./text-lines.ts";

/** An edit that cannot be made. */
export type RefusedEdit = Extract<EditPlan, { ok: false }>;

/** What was sought, and where. */
export interface SoughtText {
  /** The file's path, fit to be shown. */
  readonly shown: string;
  readonly text: string;
  readonly wanted: string;
  /** A piece of the text as people read it. */
  readonly show: (piece: string) => string;
}

/** Says why an edit cannot be made, and what would help. */
export async function explainRefusal(plan: RefusedEdit, sought: SoughtText): Promise<string> {
  const { shown } = sought;
  if (plan.why === "ambiguous") return explainAmbiguity(plan, sought);
  if (plan.why === "not_found") return `oldText is not in ${shown}; ${await nearby(sought)}`;
  if (plan.why === "too_large") return `${shown} would become too large; use a program for such a change`;
  return `oldText stands more than ${MAX_REPLACED} times in ${shown}; use a program for so many`;
}

/** The lines of some places, a few of many: `line 3`, `lines 3, 8, 9, ...`. */
export function placesOf(spans: readonly Span[], text: string): string {
  const starts = spans.slice(0, MAX_PLACES_NAMED).map((span) => span.start);
  const more = spans.length > MAX_PLACES_NAMED ? ", ..." : "";
  return `${spans.length === 1 ? "line" : "lines"} ${lineNumbersAt(text, starts).join(", ")}${more}`;
}

const MAX_PLACES_NAMED = 8;

function explainAmbiguity(
  plan: Extract<RefusedEdit, { why: "ambiguous" }>,
  { shown, text }: SoughtText,
): string {
  const count = plan.spans.length < MAX_COUNTED ? plan.spans.length : `${MAX_COUNTED} or more`;
  const how = plan.strategy === "exact" ? "" : `, ignoring ${plan.strategy}`;
  const remedy = `add lines around it so that one place is meant${plan.mayReplaceAll ? ", or set replaceAll" : ""}`;
  return `oldText stands ${count} times in ${shown} (${placesOf(plan.spans, text)})${how}; ${remedy}`;
}

async function nearby({ text, wanted, show }: SoughtText): Promise<string> {
  const closest = await closestText(text, wanted);
  if (closest) return `the closest text is at line ${closest.line}:\n${show(closest.text)}`;
  const strictly = text.length > MAX_TOLERANT_CHARS ? "; in a file this large it must match exactly" : "";
  return `read the file and copy the text as it stands${strictly}`;
}
