import { failureResult, type ToolResult } from "../../../runtime/index.ts";
import type { ToolContext } from "../../contract/index.ts";
import { currentFile, hardLinkWarning } from "../file/current-file.ts";
import { missingPath } from "../file/paths/open-for-reading.ts";
import { shownPath, toolPath } from "../file/paths/tool-path.ts";
import { gateRefusal, rememberWritten } from "../file/read-gate.ts";
import { decodeText } from "../file/text/text-codec.ts";
import { explainRefusal, lineList } from "./explain-refusal.ts";
import { applyChanges, type EditPlan, planEdit } from "./plan-edit.ts";
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

  const decoded = decodeText(current.content);
  const { text, spell, show } = decoded;
  const [wanted, replacement] = [spell(input.oldText), spell(input.newText)];
  const plan = planEdit({ text, wanted, replacement, replaceAll: input.replaceAll ?? false });
  if (!plan.ok) return failureResult(`edit: ${await explainRefusal(plan, { shown, text, wanted, show })}`);
  const after = applyChanges(text, plan.changes);
  if (after === text) return failureResult(`edit: ${shown} would not change: it already has newText there`);

  // Before the write, so that nothing can fail after the file has changed.
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
