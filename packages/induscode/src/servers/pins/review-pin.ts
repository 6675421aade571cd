import { cutText } from "indusagi/core";
import { formDifference, type ToolSelfDescription } from "../../deck/ledger/index.ts";
import { judge, type PinTerms } from "./judge.ts";
import { formHash, keptForm, type Pin, pinOf, type SeenForm, type WaitingForm } from "./pin.ts";
import { withApprovedTexts } from "./split-form.ts";

/** What was decided about a change, for the ledger. */
export interface PinDecision {
  readonly op: "hold" | "adopt" | "quarantine" | "approve";
  readonly before: string;
  readonly after: string;
  readonly difference: string;
  readonly reason: string;
  /** It is recorded but not reported. */
  readonly isQuiet?: true;
}

/** A pin after a review. */
export interface ReviewedPin {
  /** The same object if there is nothing to store. */
  readonly pin: Pin;
  /** The form to use. Absent: it is withheld. */
  readonly form?: ToolSelfDescription | undefined;
  /** The new decisions. A change that was decided before adds none. */
  readonly decisions: readonly PinDecision[];
}

export interface ReviewTerms extends PinTerms {
  /** The time of a decision, as ISO 8601. */
  readonly at: string;
}

/** The longest difference that is kept. */
const MAX_DIFFERENCE_UNITS = 32 * 1024;

/** Decides which form to use for what a server lists, and how its pin changes. Pure. */
export function reviewPin(pin: Pin | undefined, seen: SeenForm, terms: ReviewTerms): ReviewedPin {
  if (!pin) return { pin: pinOf(seen), form: seen.form, decisions: [] };
  if (pin.hash === seen.hash)
    return { pin: withoutWaiting(pin), form: seen.form, decisions: returned(pin, seen.form) };
  const { waiting, form: approved } = pin;
  if (waiting?.hash === seen.hash && waiting.level === terms.level)
    return { pin, form: formInUse(pin, waiting), decisions: [] };
  if (!approved) return unknownChange(pin, seen, terms);
  const verdict = judge(approved, seen.form, terms);
  if (verdict.op === "same") return { pin: pinOf(seen), form: seen.form, decisions: [] };
  if (verdict.op === "volatile") return volatileChange(pin, approved, seen);
  const { op, reason } = verdict;
  if (op === "adopt") return adoptedChange(pin, seen, { ...terms, reason });
  return heldChange(pin, seen, { ...terms, op, reason });
}

/** The pin after a user approved the waiting form; `undefined` if none waits. */
export function approvedPin(pin: Pin): { readonly pin: Pin; readonly decision: PinDecision } | undefined {
  const { waiting } = pin;
  if (!waiting) return undefined;
  const { hash, form, reason } = waiting;
  return {
    pin: { hash, form },
    decision: { op: "approve", before: pin.hash, after: hash, difference: waitingDifference(pin), reason },
  };
}

/** The difference between the approved form and the waiting one, as text. */
export function waitingDifference({ form, waiting }: Pin): string {
  if (!waiting) return "";
  if (!form || !waiting.form) return "(a form is too large to be shown)";
  return difference(form, waiting.form);
}

/** Otherwise an ended quarantine would stay the last decision in the ledger. */
function returned({ hash, waiting }: Pin, approved: ToolSelfDescription): PinDecision[] {
  if (!waiting) return [];
  const reason = "its server returned to the approved form";
  const change = { before: waiting.form, after: approved, reason };
  return [{ ...decisionOf("adopt", waiting.hash, hash, change), isQuiet: true }];
}

function withoutWaiting(pin: Pin): Pin {
  if (!pin.waiting) return pin;
  const { waiting: _, ...rest } = pin;
  return rest;
}

function formInUse({ form }: Pin, { op }: WaitingForm): ToolSelfDescription | undefined {
  return op === "hold" ? form : undefined;
}

/** The approved text stays in use. The decision is recorded only once, because such texts change at every start. */
function volatileChange(pin: Pin, approved: ToolSelfDescription, seen: SeenForm): ReviewedPin {
  if (pin.isVolatile) return { pin: withoutWaiting(pin), form: approved, decisions: [] };
  const reason = "only numbers and dates in its text changed";
  const decision = decisionOf("hold", pin.hash, seen.hash, { before: approved, after: seen.form, reason });
  return {
    pin: { ...withoutWaiting(pin), isVolatile: true },
    form: approved,
    decisions: [{ ...decision, isQuiet: true }],
  };
}

interface Held extends ReviewTerms {
  readonly op: "hold" | "quarantine";
  readonly reason: string;
}

function heldChange(pin: Pin, seen: SeenForm, { op, reason, level, at }: Held): ReviewedPin {
  const waiting: WaitingForm = { hash: seen.hash, form: keptForm(seen.form), op, level, reason, at };
  const decision = decisionOf(op, pin.hash, seen.hash, { before: pin.form, after: seen.form, reason });
  return { pin: { ...pin, waiting }, form: formInUse(pin, waiting), decisions: [decision] };
}

/** The approved form was not kept, so its text cannot stay in use. */
function unknownChange(pin: Pin, seen: SeenForm, terms: ReviewTerms): ReviewedPin {
  const reason = "it changed, and its approved form was too large to be kept";
  if (terms.level === "warn") return adoptedChange(pin, seen, { ...terms, reason });
  return heldChange(pin, seen, { ...terms, op: "quarantine", reason });
}

/** At `warn` all of the new form is used; at `hold` its structure, with the approved texts. */
function adoptedChange(
  { form: approved, hash }: Pin,
  seen: SeenForm,
  { reason, ...terms }: ReviewTerms & { readonly reason: string },
): ReviewedPin {
  const form = approved && terms.level === "hold" ? withApprovedTexts(approved, seen.form) : seen.form;
  const pin = pinOf({ hash: formHash(form), form });
  const decision = decisionOf("adopt", hash, pin.hash, { before: approved, after: form, reason });
  if (pin.hash === seen.hash) return { pin, form, decisions: [decision] };
  const rest = reviewPin(pin, seen, { ...terms, isSamePackage: false });
  return { ...rest, decisions: [decision, ...rest.decisions] };
}

interface Change {
  readonly before: ToolSelfDescription | undefined;
  readonly after: ToolSelfDescription;
  readonly reason: string;
}

function decisionOf(op: PinDecision["op"], before: string, after: string, change: Change): PinDecision {
  const text = change.before ? difference(change.before, change.after) : "(a form is too large to be shown)";
  return { op, before, after, difference: text, reason: change.reason };
}

function difference(before: ToolSelfDescription, after: ToolSelfDescription): string {
  return cutText(formDifference(before, after), MAX_DIFFERENCE_UNITS);
}
