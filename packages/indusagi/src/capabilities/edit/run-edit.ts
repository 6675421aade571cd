import { failureResult, type ToolResult } from "../../runtime/index.ts";
import type { ToolContext } from "../contract/index.ts";
import { missingPath } from "../file/paths/open-for-reading.ts";
import { shownPath, toolPath } from "../file/paths/tool-path.ts";
import { currentFile, gateRefusal, hardLinkWarning, rememberWritten } from "../file/read-gate.ts";
import { decodeFileText } from "../file/text/text-codec.ts";
import type { Span } from "./match-strategies.ts";
import {
  applyChanges,
  type EditPlan,
  MAX_COUNTED,
  MAX_REPLACED,
  MAX_TOLERANT_CHARS,
  planEdit,
} from "./plan-edit.ts";
import { lineNumbersAt, textLines } from "./text-lines.ts";
import { unifiedDiff } from "./unified-diff.ts";

export interface EditInput {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll?: boolean;
}

/** Runs while no other call changes the file. */
export async function runEdit(input: EditInput, ctx: ToolContext): Promise<ToolResult> {
  if (input.oldText === "") return failureResult('edit: "oldText" is empty; to create a file, use write');
  if (input.oldText === input.newText) return failureResult('edit: "oldText" and "newText" are the same');
  const path = toolPath(ctx, input.path);
  const shown = shownPath(ctx, path);
  const current = await currentFile(ctx, path);
  if (!current) throw await missingPath(ctx, path);
  const refusal = gateRefusal(ctx, current);
  if (refusal) return failureResult(`edit: ${shown} ${refusal}`);

  const decoded = decodeFileText(current.content);
  const { text, spell, show } = decoded;
  const [wanted, replacement] = [spell(input.oldText), spell(input.newText)];
  const plan = planEdit({ text, wanted, replacement, replaceAll: input.replaceAll ?? false });
  if (!plan.ok) return failureResult(`edit: ${await explainRefusal(plan, { shown, text, wanted, show })}`);
  const after = applyChanges(text, plan.changes);
  if (after === text) return failureResult(`edit: ${shown} would not change: it already has newText there`);

  // Before the write, so nothing can fail after the file has changed.
  const diff = await unifiedDiff({ path: shown, text, changes: plan.changes, show });
  const bytes = decoded.encode(after);
  ctx.signal.throwIfAborted();
  await ctx.fs.writeFile(path, bytes, { onlyIf: current.info });
  await rememberWritten(ctx, path, bytes);
  const message = [report(shown, plan, text), ...hardLinkWarning(current)].join("; ");
  return {
    content: [
      { kind: "text", text: message },
      { kind: "json", value: { path: shown, replacements: plan.changes.length, diff } },
    ],
  };
}

function report(shown: string, plan: EditPlan & { ok: true }, before: string): string {
  const count = plan.changes.length === 1 ? "1 replacement" : `${plan.changes.length} replacements`;
  const how =
    plan.strategy === "exact"
      ? ""
      : `; oldText matched only after ignoring ${plan.strategy}, so check the result`;
  return `edited ${shown}: ${count} at ${lineList(plan.changes, before)}${how}`;
}

type RefusedEdit = Extract<EditPlan, { ok: false }>;

/** The text that the edit looked for, and the file. */
interface SoughtText {
  /** The file's path as a model sees it. */
  readonly shown: string;
  readonly text: string;
  readonly wanted: string;
  /** Converts a piece of `text` to a readable form. */
  readonly show: (piece: string) => string;
}

/** Why the edit is not possible, and what to do. */
async function explainRefusal(plan: RefusedEdit, sought: SoughtText): Promise<string> {
  const { shown } = sought;
  if (plan.why === "ambiguous") return explainAmbiguity(plan, sought);
  if (plan.why === "not_found") return `oldText is not in ${shown}; ${await nearby(sought)}`;
  if (plan.why === "too_large") return `${shown} would become too large; use a shell command`;
  return `oldText occurs more than ${MAX_REPLACED} times in ${shown}; use a shell command`;
}

/** The line numbers of the first few spans: `line 3`, `lines 3, 8, 9, ...`. */
function lineList(spans: readonly Span[], text: string): string {
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
  const remedy = `add more lines around it so only one place matches${plan.mayReplaceAll ? ", or set replaceAll" : ""}`;
  return `oldText occurs ${count} times in ${shown} (${lineList(plan.spans, text)})${how}; ${remedy}`;
}

async function nearby({ text, wanted, show }: SoughtText): Promise<string> {
  const closest = await closestText(text, wanted);
  if (closest) return `the closest text is at line ${closest.line}:\n${show(closest.text)}`;
  const strictly = text.length > MAX_TOLERANT_CHARS ? "; in a file this large it must match exactly" : "";
  return `read the file and copy the text exactly${strictly}`;
}

/** The place in a file that is most similar to a text that is not in it. */
interface ClosestText {
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
}

const MAX_LINES_COMPARED = 20_000;
const MAX_LINE_CHARS = 300;
const SHOWN_LINES = 8;

/** Compares each line with the longest line of the wanted text. Returns undefined if no line is at least half equal. */
export async function closestText(text: string, wanted: string): Promise<ClosestText | undefined> {
  const wantedLines = textLines(wanted, MAX_LINES_COMPARED).map((line) =>
    wanted.slice(line.start, line.end).trim(),
  );
  const anchor = indexOfLongest(wantedLines);
  const target = (wantedLines[anchor] ?? "").slice(0, MAX_LINE_CHARS);
  if (target.length < 3) return undefined;

  const lines = textLines(text, MAX_LINES_COMPARED);
  const candidates = lines.map((line) =>
    text.slice(line.start, Math.min(line.end, line.start + MAX_LINE_CHARS)).trim(),
  );
  const closest = await indexOfClosest(target, candidates);
  if (closest === undefined) return undefined;

  const from = Math.max(0, closest - anchor);
  const shown = lines.slice(from, from + Math.min(SHOWN_LINES, wantedLines.length));
  const [line = 1] = lineNumbersAt(text, [lines[from]?.start ?? 0]);
  return {
    line,
    text: shown.map(({ start, end }) => text.slice(start, Math.min(end, start + MAX_LINE_CHARS))).join("\n"),
  };
}

function indexOfLongest(lines: readonly string[]): number {
  return lines.reduce((best, line, index) => (line.length > (lines[best]?.length ?? 0) ? index : best), 0);
}

async function indexOfClosest(target: string, candidates: readonly string[]): Promise<number | undefined> {
  const { distance } = await import("fastest-levenshtein");
  let closest: number | undefined;
  let limit = target.length / 2;
  for (const [index, candidate] of candidates.entries()) {
    if (Math.abs(candidate.length - target.length) >= limit) continue; // Cannot be closer: skip the expensive comparison.
    const edits = distance(target, candidate);
    if (edits >= limit) continue;
    closest = index;
    limit = edits;
  }
  return closest;
}
