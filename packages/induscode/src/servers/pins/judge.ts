import { canonicalJson, escapeForDisplay, isRecord } from "indusagi/core";
import type { PinLevel } from "indusagi/interop";
import type { ToolSelfDescription } from "../../deck/ledger/index.ts";
import { replaceTexts, type SchemaObject } from "./schema-texts.ts";
import { replaceFormTexts, splitForm } from "./split-form.ts";

/** The parts of a server's row that decide about changes. */
export interface PinTerms {
  readonly level: Exclude<PinLevel, "off">;
  /** The row names an exact version of the package, and the server reports the same version as before. */
  readonly isSamePackage: boolean;
}

export type PinVerdict =
  /** Nothing changed. */
  | { readonly op: "same" }
  /** Only numbers and dates in texts changed: the approved text silently stays in use. */
  | { readonly op: "volatile" }
  | { readonly op: "hold" | "adopt" | "quarantine"; readonly reason: string };

/** Decides what a change means. Pure; never throws for forms that have canonical JSON. */
export function judge(
  approved: ToolSelfDescription,
  seen: ToolSelfDescription,
  { level, isSamePackage }: PinTerms,
): PinVerdict {
  if (isSame(approved, seen)) return { op: "same" };
  const hidden = gainedInvisible(approved, seen);
  if (hidden.length === 0 && isSame(masked(approved), masked(seen))) return { op: "volatile" };
  const danger = dangerIn(approved, seen, hidden);
  if (level === "warn") return { op: "adopt", reason: danger ?? changeIn(approved, seen) };
  if (danger !== undefined) return { op: "quarantine", reason: danger };
  const change = changeIn(approved, seen);
  if (level === "quarantine") return { op: "quarantine", reason: change };
  if (isSamePackage)
    return { op: "quarantine", reason: `${change}, but its package has an exact version that did not` };
  return { op: hasSameStructure(approved, seen) ? "hold" : "adopt", reason: change };
}

function isSame(a: ToolSelfDescription, b: ToolSelfDescription): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

function hasSameStructure(a: ToolSelfDescription, b: ToolSelfDescription): boolean {
  return isSame(splitForm(a).structure, splitForm(b).structure);
}

function masked(form: ToolSelfDescription): ToolSelfDescription {
  return replaceFormTexts(form, (_, text) => maskText(typeof text === "string" ? text : canonicalJson(text)));
}

/** What makes a change dangerous, as a clause. */
function dangerIn(
  approved: ToolSelfDescription,
  seen: ToolSelfDescription,
  hidden: readonly string[],
): string | undefined {
  if (hidden.length > 0)
    return `it gained invisible or control characters (${escapeForDisplay(hidden.slice(0, 5).join(" "))})`;
  const claims = weakerHints(approved.annotations, seen.annotations);
  if (claims.length > 0) return `it now claims ${claims.join(" and ")}`;
  const required = newlyRequired(approved.inputSchema, seen.inputSchema);
  return required.length > 0 ? `it now requires ${shownNames(required)}` : undefined;
}

/** What changed, as a clause. */
function changeIn(approved: ToolSelfDescription, seen: ToolSelfDescription): string {
  if (hasSameStructure(approved, seen)) return "its text changed";
  const [old, young] = [splitForm(approved).structure, splitForm(seen).structure];
  const isInputOnly = isSame({ ...old, inputSchema: undefined }, { ...young, inputSchema: undefined });
  const gained = isInputOnly ? onlyGained(old.inputSchema, young.inputSchema) : undefined;
  if (gained) return `its schema gained ${shownNames(gained)}`;
  return isInputOnly ? "its schema changed" : "its annotations or schemas changed";
}

const MAX_NAMES = 5;

function shownNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map((name) => JSON.stringify(escapeForDisplay(name)));
  return names.length > MAX_NAMES
    ? `${shown.join(", ")} and ${names.length - MAX_NAMES} more`
    : shown.join(", ");
}

/**
 * Characters that people do not see but a model may obey: controls, format characters (zero-width, reading direction, tags),
 * fillers, and variation selectors, which can carry hidden text. Tabs and line ends are visible.
 */
const INVISIBLE =
  /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\uffa0\u{e0000}-\u{e0fff}]|[\ufe00-\ufe0f]/gu;
/** Inside an emoji these two characters are visible. */
const IN_EMOJI =
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}#*0-9])\ufe0f|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d(?=\p{Extended_Pictographic})/gu;

/** The invisible characters that a value has more of than before, each once. The names of members count too. */
function gainedInvisible(before: unknown, after: unknown): string[] {
  const old = countInvisible(before);
  return [...countInvisible(after)].flatMap(([char, count]) => (count > (old.get(char) ?? 0) ? [char] : []));
}

function countInvisible(value: unknown): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === "string")
      for (const [char] of next.replace(IN_EMOJI, "").matchAll(INVISIBLE))
        counts.set(char, (counts.get(char) ?? 0) + 1);
    else if (typeof next === "object" && next !== null)
      for (const [name, member] of Object.entries(next)) rest.push(name, member);
  }
  return counts;
}

const MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december";
const DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday";
const SHORT = "jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun";

/** Digits of any script, with the separators in times and large numbers. */
const NUMBERS = /\p{Nd}+(?:[.,:'’]\p{Nd}+)*/gu;
const DATE_NAMES = new RegExp(`\\b(?:${MONTHS}|${DAYS})\\b`, "gi");
/** Short names count only next to a number: "may" and "sun" are also words. */
const SHORT_DATE_NAMES = new RegExp(
  `\\b(?:${SHORT})\\b(?=[.,]?\\s*#)|(?<=#(?:st|nd|rd|th)?[.,]?\\s*)\\b(?:${SHORT})\\b`,
  "gi",
);
const HALF_DAYS = /#\s*[ap]\.?m\b\.?/gi;
const ADJACENT = /#(?:[\s,.]*#)+/g;

/** Replaces every number and date with the same sign, so texts that differ only in them become equal. */
function maskText(text: string): string {
  const numbers = text.replace(NUMBERS, "#").replace(DATE_NAMES, "#");
  // Twice: in "Mon Nov 16" the first name is next to a number only after the second is masked.
  const names = numbers.replace(SHORT_DATE_NAMES, "#").replace(SHORT_DATE_NAMES, "#");
  return names.replace(HALF_DAYS, "#").replace(ADJACENT, "#");
}

/** What a tool may do by its hints, with the protocol's defaults for missing ones. */
interface HintedDanger {
  readonly changes: boolean;
  readonly destroys: boolean;
  readonly repeats: boolean;
  readonly reachesOut: boolean;
}

const CLAIMS: { readonly [danger in keyof HintedDanger]: string } = {
  changes: "that it changes nothing",
  destroys: "that it destroys nothing",
  repeats: "that it can be repeated",
  reachesOut: "that it reaches nothing outside",
};

/** New claims to be less dangerous, as clauses. */
function weakerHints(before: unknown, after: unknown): string[] {
  const [old, young] = [hintedDanger(before), hintedDanger(after)];
  const names = Object.keys(CLAIMS) as (keyof HintedDanger)[];
  const found = names.filter((name) => old[name] && !young[name]);
  // That it changes nothing implies the other two.
  const isReadOnly = found.includes("changes");
  return found
    .filter((name) => !isReadOnly || (name !== "destroys" && name !== "repeats"))
    .map((name) => CLAIMS[name]);
}

function hintedDanger(annotations: unknown): HintedDanger {
  const hints = isRecord(annotations) ? annotations : {};
  const changes = hints["readOnlyHint"] !== true;
  return {
    changes,
    destroys: changes && hints["destructiveHint"] !== false,
    repeats: changes && hints["idempotentHint"] !== true,
    reachesOut: hints["openWorldHint"] !== false,
  };
}

/** Names that existing schemas newly require. */
function newlyRequired(before: unknown, after: unknown): string[] {
  const old = schemasOf(before);
  return [...schemasOf(after)].flatMap(([path, schema]) => {
    const known = old.get(path);
    if (!known) return [];
    const required = new Set(namesOf(known["required"]));
    return namesOf(schema["required"]).filter((name) => !required.has(name));
  });
}

/** The members that a schema gained; `undefined` if it changed in another way too. */
function onlyGained(before: unknown, after: unknown): readonly string[] | undefined {
  const gained: string[] = [];
  const rest = withoutGained(before, after, gained);
  return canonicalJson(rest ?? null) === canonicalJson(before ?? null) ? gained : undefined;
}

function schemasOf(schema: unknown): ReadonlyMap<string, SchemaObject> {
  const found = new Map<string, SchemaObject>();
  replaceTexts(schema, { text: (_, text) => text, schema: (path, each) => found.set(path, each) });
  return found;
}

function namesOf(required: unknown): string[] {
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === "string") : [];
}

/** The newer schema without the properties that the older one lacks. Their names are added to `gained`. */
function withoutGained(before: unknown, after: unknown, gained: string[], isNamed = false): unknown {
  if (Array.isArray(before) && Array.isArray(after))
    return after.map((item, at) => withoutGained(before[at], item, gained));
  if (!isRecord(before) || !isRecord(after)) return after;
  const members = Object.entries(after).flatMap(([name, value]) => {
    if (isNamed && !Object.hasOwn(before, name)) {
      gained.push(name);
      return [];
    }
    const isMap = !isNamed && name === "properties";
    // The object had no properties before.
    const old = isMap && !Object.hasOwn(before, name) ? {} : before[name];
    const kept = withoutGained(old, value, gained, isMap);
    const isEmptied =
      isMap && !Object.hasOwn(before, name) && isRecord(kept) && Object.keys(kept).length === 0;
    return isEmptied ? [] : [[name, kept] as const];
  });
  return Object.fromEntries(members);
}
