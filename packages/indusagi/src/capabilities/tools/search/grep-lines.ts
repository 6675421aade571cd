import { withDeadline } from "../../../core/index.ts";
import type { ToolContext } from "../../contract/index.ts";
import { isLocalFs } from "../../local/index.ts";
import { lineExpression } from "./pattern/line-expression.ts";
import type { LinePattern } from "./pattern/line-pattern.ts";
import { linearLine } from "./pattern/linear-line.ts";
import { locateRipgrep } from "./ripgrep/locate-ripgrep.ts";
import { ripgrepLines } from "./ripgrep/ripgrep-lines.ts";
import { searchTimedOut } from "./search-fault.ts";
import { type GrepAnswer, type GrepJob, SEARCH_LIMITS, type SearchRoot } from "./search-job.ts";
import { runSearchWorker } from "./walk/run-search-worker.ts";

export interface GrepRequest {
  readonly pattern: LinePattern;
  readonly root: SearchRoot;
  readonly cap: number;
  readonly deadlineMs: number;
  /** The ripgrep to use; false for none; undefined to look for one. */
  readonly ripgrepPath: string | false | undefined;
}

/** Finds matching lines with ripgrep if possible, else with our own engine. Both give the same result. */
export function grepLines(ctx: ToolContext, request: GrepRequest): Promise<GrepAnswer> {
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
    return runSearchWorker(job, { signal, linearJob, ...(isLocal ? {} : { fs: ctx.fs }) });
  });
}
