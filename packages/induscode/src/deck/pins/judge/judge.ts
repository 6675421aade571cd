import { canonicalJson, escapeForDisplay } from "indusagi/core";
import type { PinLevel } from "indusagi/interop";
import type { ToolSelfDescription } from "../../ledger/index.ts";
import { gainedInvisible } from "./invisible-characters.ts";
import { maskText } from "./mask-text.ts";
import { newlyRequired, onlyGained } from "./schema-growth.ts";
import { replaceFormTexts, splitForm } from "./split-form.ts";
import { weakerHints } from "./weaker-hints.ts";

/** The row of a server, as far as it decides about changes. */
export interface PinTerms {
  readonly level: Exclude<PinLevel, "off">;
  /** The row names an exact version of the package, and the server reports the same version as before. */
  readonly isSamePackage: boolean;
}

export type PinVerdict =
  /** Nothing changed. */
  | { readonly op: "same" }
  /** Only numbers and dates in texts changed: the approved text stays in use, and that is no news. */
  | { readonly op: "volatile" }
  | { readonly op: "hold" | "adopt" | "quarantine"; readonly reason: string };

/** Decides what a change means. Pure; for forms that have canonical JSON it never throws. */
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
