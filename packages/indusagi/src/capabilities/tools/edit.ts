import { failureResult, type ToolResult } from "../../runtime/index.ts";
import type { DefinedTool, ToolContext } from "../contract/index.ts";
import { defineNativeTool } from "../kernel/define-native-tool.ts";
import { closestText } from "./edit/closest-text.ts";
import type { Span } from "./edit/match-strategies.ts";
import { type EditPlan, planEdit } from "./edit/plan-edit.ts";
import { unifiedDiff } from "./edit/unified-diff.ts";
import { currentFile } from "./file/current-file.ts";
import { lockFile } from "./file/file-locks.ts";
import { missing } from "./file/open-for-reading.ts";
import { gateRefusal, rememberFile } from "./file/read-gate.ts";
import { decodeText } from "./file/text-codec.ts";
import { shownPath, toolPath } from "./file/tool-path.ts";
import { hardLinkWarning } from "./write.ts";

interface EditInput {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll?: boolean;
}

const MOST_PLACES_NAMED = 8;

/** `edit`: replaces one piece of text in a file by another. */
export function editTool(): DefinedTool {
  return defineNativeTool<EditInput>({
    name: "edit",
    description:
      "Replace a piece of text in a file. oldText must stand in the file exactly once, unless replaceAll is true: " +
      "give enough of the lines around it. Small differences in white space are forgiven when only one place can be meant.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1, description: "The file, absolute or relative to the working folder." },
        oldText: { type: "string", description: "The text to replace, as it stands in the file, without line numbers." },
        newText: { type: "string", description: "The text to put in its place." },
        replaceAll: { type: "boolean", description: "Replace every place where oldText stands. Default false." },
      },
      required: ["path", "oldText", "newText"],
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    run: async (input, ctx) => {
      if (input.oldText === "") return failureResult('edit: "oldText" is empty; to create a file, use write');
      if (input.oldText === input.newText) return failureResult('edit: "oldText" and "newText" are the same');
      const path = toolPath(ctx, input.path);
      return lockFile(ctx.fs, await ctx.fs.resolve(path), () => editOne(path, input, ctx));
    },
  });
}

async function editOne(path: string, input: EditInput, ctx: ToolContext): Promise<ToolResult> {
  const shown = shownPath(ctx, path);
  const current = await currentFile(ctx, path);
  if (!current) throw await missing(ctx, path);
  const refusal = gateRefusal(ctx, current.realPath, current.info, current.content);
  if (refusal) return failureResult(`edit: ${shown} ${refusal}`);

  const decoded = decodeText(current.content);
  const wanted = decoded.spell(input.oldText);
  const replacement = decoded.spell(input.newText);
  const plan = planEdit({ text: decoded.text, wanted, replacement, replaceAll: input.replaceAll ?? false });
  if (!plan.ok) return failureResult(`edit: ${explain(plan, shown, { text: decoded.text, wanted })}`);

  const bytes = decoded.encode(plan.text);
  ctx.signal.throwIfAborted();
  await ctx.fs.writeFile(path, bytes, { onlyIf: current.info });
  await rememberFile(ctx, current.realPath, await ctx.fs.stat(path), async () => bytes);
  const diff = await unifiedDiff(shown, decoded.text, plan.text);
  const says = [report(shown, plan, decoded.text), ...hardLinkWarning(current)].join("; ");
  return {
    content: [
      { kind: "text", text: says },
      { kind: "json", value: { path: shown, replacements: plan.spans.length, diff } },
    ],
  };
}

function report(shown: string, plan: EditPlan & { ok: true }, before: string): string {
  const count = plan.spans.length === 1 ? "1 replacement" : `${plan.spans.length} replacements`;
  const how = plan.strategy === "exact" ? "" : `; oldText matched only after ignoring ${plan.strategy}, so check the result`;
  return `edited ${shown}: ${count} at ${places(before, plan.spans)}${how}`;
}

interface Sought {
  readonly text: string;
  readonly wanted: string;
}

function explain(plan: EditPlan & { ok: false }, shown: string, { text, wanted }: Sought): string {
  if (plan.why === "ambiguous") {
    const found = `oldText stands ${plan.spans.length} times in ${shown} (${places(text, plan.spans)})`;
    const how = plan.strategy === "exact" ? "" : `, ignoring ${plan.strategy}`;
    return `${found}${how}; add lines around it so that one place is meant${how ? "" : ", or set replaceAll"}`;
  }
  const closest = closestText(text, wanted);
  const hint = closest
    ? `; the closest text is at line ${closest.line}:\n${closest.text}`
    : "; read the file and copy the text as it stands";
  return `oldText is not in ${shown}${hint}`;
}

function places(text: string, spans: readonly Span[]): string {
  const numbers = spans.slice(0, MOST_PLACES_NAMED).map((span) => lineNumberAt(text, span.start));
  const more = spans.length > MOST_PLACES_NAMED ? ", ..." : "";
  return `${spans.length === 1 ? "line" : "lines"} ${numbers.join(", ")}${more}`;
}

function lineNumberAt(text: string, index: number): number {
  return text.slice(0, index).split(/\r\n|\n|\r/).length;
}
