import { withDeadline } from "../../core/index.ts";
import { failureResult, type ToolResult, textResult } from "../../runtime/index.ts";
import type { ToolContext } from "../contract/index.ts";
import { isLocalFs } from "../local/index.ts";
import { linearLine, lineExpression } from "./pattern/line-expression.ts";
import { type LinePattern, parseLinePattern } from "./pattern/line-pattern.ts";
import { ripgrepLines } from "./ripgrep/ripgrep-lines.ts";
import { locateRipgrep } from "./ripgrep/run-ripgrep.ts";
import {
  type GrepAnswer,
  type GrepJob,
  SEARCH_LIMITS,
  SearchFault,
  type SearchRoot,
  searchTimedOut,
} from "./search-job.ts";
import { describeRoot, type OpenedRoot, openSearchRoot } from "./search-root.ts";
import { fitLines, formatCount, quotedPattern, shownLine, shownName } from "./shown-lines.ts";
import { isBinary } from "./walk/grep-tree.ts";
import { runSearchWorker } from "./walk/run-search-worker.ts";

export interface GrepInput {
  readonly pattern: string;
  readonly path?: string;
  readonly flags?: string;
  readonly cap?: number;
}

export interface GrepRun extends GrepInput {
  readonly cap: number;
  readonly deadlineMs: number;
  /** The ripgrep to use; false for none; undefined to look for one. */
  readonly ripgrepPath: string | false | undefined;
}

export async function runGrep(ctx: ToolContext, run: GrepRun): Promise<ToolResult> {
  try {
    const pattern = parseLinePattern(run.pattern, run.flags ?? "");
    const root = await openSearchRoot(ctx, run.path ?? ".");
    const refusal = root.isFile ? await whyNotSearched(ctx, root) : undefined;
    if (refusal) return failureResult(`grep: ${root.shown} ${refusal}`);
    const { cap, deadlineMs, ripgrepPath } = run;
    const answer = await grepLines(ctx, { pattern, root, cap, deadlineMs, ripgrepPath });
    return textResult(report(answer, root, { pattern: run.pattern, maxBytes: ctx.budget.maxBytes }));
  } catch (thrown) {
    if (thrown instanceof SearchFault) return failureResult(`grep: ${thrown.message}`);
    throw thrown;
  }
}

interface GrepRequest extends Pick<GrepRun, "cap" | "deadlineMs" | "ripgrepPath"> {
  readonly pattern: LinePattern;
  readonly root: SearchRoot;
}

/** Finds matching lines with ripgrep if possible, else with our own engine. Both give the same result. */
function grepLines(ctx: ToolContext, request: GrepRequest): Promise<GrepAnswer> {
  const { pattern, root, cap, deadlineMs } = request;
  const isLocal = isLocalFs(ctx.fs);
  const deadline = { signal: ctx.signal, deadlineMs, reason: () => searchTimedOut(deadlineMs) };
  return withDeadline(deadline, async (signal) => {
    const program = isLocal && (request.ripgrepPath ?? (await locateRipgrep()));
    const found =
      program && (await ripgrepLines({ program, pattern, root, cap, signal, limits: SEARCH_LIMITS }));
    if (found) return found;
    const expression = lineExpression(pattern);
    const job: GrepJob = { kind: "grep", root, expression, cap, limits: SEARCH_LIMITS };
    const linearJob = async (): Promise<GrepJob | undefined> => {
      const linear = await linearLine(pattern);
      return linear && { ...job, expression: { ...expression, linear } };
    };
    return runSearchWorker(job, { signal, linearJob, fs: isLocal ? undefined : ctx.fs });
  });
}

/** A caller that names one file must learn that it was not searched. */
async function whyNotSearched(ctx: ToolContext, root: OpenedRoot): Promise<string | undefined> {
  if (root.size > SEARCH_LIMITS.fileBytes)
    return "is over 2 MiB, so it was not searched; read a part of it instead";
  const file = await ctx.fs.open(root.path);
  try {
    const sample = await file.read(0, SEARCH_LIMITS.sampleBytes);
    return isBinary(sample, SEARCH_LIMITS.sampleBytes)
      ? "is a binary file, so it was not searched"
      : undefined;
  } finally {
    await file.close();
  }
}

interface ReportOptions {
  readonly pattern: string;
  readonly maxBytes: number;
}

function report(answer: GrepAnswer, root: OpenedRoot, { pattern, maxBytes }: ReportOptions): string {
  const before = root.isFile || root.shown.endsWith("/") ? root.shown : `${root.shown}/`;
  const start = root.shown === "." ? "" : before;
  const lines = answer.hits.map(
    (hit) => `${start}${shownName(hit.path)}:${hit.line}: ${shownLine(hit.text)}`,
  );
  const shown = fitLines(lines, maxBytes);
  const notes = [
    ...(answer.total === 0 ? [`No matches for ${quotedPattern(pattern)} in ${describeRoot(root)}.`] : []),
    ...(shown < answer.total
      ? [`[${tally(shown, answer)}; narrow the pattern or the path, or raise cap (at most 5000)]`]
      : []),
    ...(answer.tooLarge > 0 ? [`[files over 2 MiB, not searched: ${formatCount(answer.tooLarge)}]`] : []),
    ...(answer.unreadable > 0
      ? [`[files or folders that could not be read: ${formatCount(answer.unreadable)}]`]
      : []),
  ];
  return [...lines.slice(0, shown), ...(shown > 0 && notes.length > 0 ? [""] : []), ...notes].join("\n");
}

function tally(shown: number, { total, isComplete }: GrepAnswer): string {
  return `showing ${formatCount(shown)} of ${isComplete ? "" : "more than "}${formatCount(total)} hits`;
}
