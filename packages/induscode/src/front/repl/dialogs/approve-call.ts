import { escapeForDisplay } from "indusagi/core";
import type { CallPreview, PlanAnswer, PlanQuestion, SessionApproval } from "../../../conductor/index.ts";
import type { ApprovalAnswer } from "../../../policy/index.ts";
import { renderMarkdown, showDiff } from "../../../screen/index.ts";
import { paint } from "../../../screen/internal.ts";
import type { Stage } from "../view/stage.ts";
import type { Choice, Dialogs } from "./dialogs.ts";

/** Longer previews are cut at first. A command is always shown whole. */
const MAX_PREVIEW_LINES = 60;
const INDENT = "  ";
/** The keys of the rules, the narrowest first. */
const RULE_KEYS = ["a", "b", "c"] as const;

type Decision = ApprovalAnswer | "why" | "whole";

const VIEW: Choice<Decision> = { key: "v", shortcut: "ctrl-o", label: "view all lines", answer: "whole" };
const SURE: readonly Choice<boolean>[] = [
  { key: "y", label: "yes, always", answer: true },
  { key: "n", label: "no, ask again about this call", answer: false },
];

/** Shows what a call would do, and asks whether to run it: once, always by a rule, or no. */
export async function approveCall(
  dialogs: Dialogs,
  stage: Stage,
  question: SessionApproval,
): Promise<ApprovalAnswer> {
  const { signal, preview } = question;
  return dialogs.open(signal, async () => {
    stage.printFolded(heading(question, stage));
    const lines = previewLines(preview, stage);
    const isCut = preview.kind !== "command" && lines.length > MAX_PREVIEW_LINES;
    printPreview(isCut ? lines.slice(0, MAX_PREVIEW_LINES) : lines, preview, stage);
    if (isCut) stage.print(`  … ${lines.length - MAX_PREVIEW_LINES} more lines`);
    for (let isWhole = !isCut; ; ) {
      const decision = await dialogs.choose("Run this call?", choicesFor(question, isWhole), signal);
      if (decision === "whole") {
        isWhole = true;
        printPreview(lines.slice(MAX_PREVIEW_LINES), preview, stage);
      } else if (decision === "why") {
        const message = await dialogs.line("Tell the model why:", signal);
        return { allow: false, ...(message ? { message } : {}) };
      } else if (decision?.allow && decision.rule !== undefined) {
        // Its own step: one stray key must not allow more than this call.
        const rule = escapeForDisplay(decision.rule);
        const isSure = await dialogs.choose(`Always allow ${rule}, in later sessions too?`, SURE, signal);
        if (isSure !== false) return isSure ? decision : { allow: false };
      } else return decision ?? { allow: false };
    }
  });
}

function choicesFor({ rules }: SessionApproval, isWhole: boolean): readonly Choice<Decision>[] {
  return [
    { key: "y", label: "yes, once", answer: { allow: true } },
    ...RULE_KEYS.flatMap((key, at): readonly Choice<Decision>[] => {
      const rule = rules[at];
      return rule === undefined
        ? []
        : [{ key, label: `always: ${escapeForDisplay(rule)}`, answer: { allow: true, rule } }];
    }),
    { key: "n", label: "no", answer: { allow: false } },
    { key: "w", label: "no, and say why", answer: "why" },
    ...(isWhole ? [] : [VIEW]),
  ];
}

function heading({ descriptor, reason, agent }: SessionApproval, { look }: Stage): string {
  const name = escapeForDisplay(descriptor.name);
  const who = agent === undefined ? "" : ` (sub-agent ${escapeForDisplay(agent)})`;
  return `${look.hasColours ? paint("bold", name) : name}${who} asks: ${escapeForDisplay(reason)}`;
}

/** The lines of a preview, safe to show. */
function previewLines(preview: CallPreview, { look, width }: Stage): readonly string[] {
  if (preview.kind === "command")
    return [`in ${escapeForDisplay(preview.cwd)}:`, ...safeLines(preview.command)];
  if (preview.kind === "arguments") return safeLines(preview.json);
  const title = `${preview.isNew ? "new file " : ""}${escapeForDisplay(preview.path)}`;
  const diff = safeLines(preview.diff).join("\n");
  return [title, ...showDiff(diff, { ...look, width: width - 1 - INDENT.length })];
}

function safeLines(text: string): readonly string[] {
  return escapeForDisplay(text.trimEnd(), { keepNewlines: true }).replaceAll("\t", "    ").split("\n");
}

function printPreview(lines: readonly string[], { kind }: CallPreview, stage: Stage): void {
  const indented = lines.map((line) => INDENT + line);
  // The lines of a diff fit the screen.
  if (kind === "diff") stage.print(indented.join("\n"));
  else for (const line of indented) stage.printFolded(line);
}

type PlanDecision = Extract<PlanAnswer, { readonly approved: true }> | "return";

const CHOICES: readonly Choice<PlanDecision>[] = [
  { key: "y", label: "yes, and ask before each change", answer: { approved: true, mode: "default" } },
  { key: "e", label: "yes, and edit files without asking", answer: { approved: true, mode: "acceptEdits" } },
  { key: "n", label: "no, keep planning", answer: "return" },
];

/** Shows a plan and asks whether to carry it out. */
export function approvePlan(dialogs: Dialogs, stage: Stage, question: PlanQuestion): Promise<PlanAnswer> {
  const { plan, path, signal } = question;
  return dialogs.open(signal, async () => {
    const safe = escapeForDisplay(plan.trim(), { keepNewlines: true });
    stage.printFolded(`Plan${path === undefined ? "" : ` (${escapeForDisplay(path)})`}:`);
    stage.printFolded(renderMarkdown(safe, stage.look));
    const decision = await dialogs.choose("Carry out this plan?", CHOICES, signal);
    if (decision !== undefined && decision !== "return") return decision;
    const message = decision && (await dialogs.line("What should change?", signal));
    return { approved: false, ...(message ? { message } : {}) };
  });
}
