import { escapeForDisplay } from "indusagi/core";
import type { PlanAnswer, PlanQuestion } from "../../../conductor/index.ts";
import { renderMarkdown } from "../../../screen/index.ts";
import type { Stage } from "../view/stage.ts";
import type { Choice, Dialogs } from "./dialogs.ts";

type Decision = Extract<PlanAnswer, { readonly approved: true }> | "return";

const CHOICES: readonly Choice<Decision>[] = [
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
