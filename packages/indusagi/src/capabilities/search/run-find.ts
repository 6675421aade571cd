import { withDeadline } from "../../core/index.ts";
import { linearProgram } from "../../core/internal.ts";
import { failureResult, type ToolResult, textResult } from "../../runtime/index.ts";
import { FsError, type ToolContext } from "../contract/index.ts";
import { isLocalFs } from "../local/index.ts";
import {
  type EntryKind,
  type FindAnswer,
  type FindJob,
  type GlobQuery,
  type NameQuery,
  SEARCH_LIMITS,
  SearchFault,
  searchTimedOut,
} from "./search-job.ts";
import { describeRoot, type OpenedRoot, openSearchRoot } from "./search-root.ts";
import { fitLines, formatCount, quotedPattern, shownName } from "./shown-lines.ts";
import { runSearchWorker } from "./walk/run-search-worker.ts";

export interface FindInput {
  readonly query: string;
  readonly path?: string;
  readonly type?: "file" | "dir";
}

export interface FindRun extends FindInput {
  readonly cap: number;
  readonly deadlineMs: number;
}

const ENTRY_KIND: { readonly [type in "file" | "dir"]: EntryKind } = { file: "file", dir: "directory" };

export async function runFind(ctx: ToolContext, run: FindRun): Promise<ToolResult> {
  try {
    const query = await parseNameQuery(run.query);
    const root = await openSearchRoot(ctx, run.path ?? ".");
    if (root.isFile) throw new FsError("not_directory", root.path, `${root.shown} is a file; give a folder`);
    const only = run.type && ENTRY_KIND[run.type];
    const job: FindJob = { kind: "find", root, query, only, cap: run.cap, limits: SEARCH_LIMITS };
    const linearJob = async (): Promise<FindJob | undefined> => {
      const linear = query.kind === "glob" ? await linearGlob(query) : undefined;
      return linear && { ...job, query: linear };
    };
    const { deadlineMs } = run;
    const deadline = { signal: ctx.signal, deadlineMs, reason: () => searchTimedOut(deadlineMs) };
    const answer = await withDeadline(deadline, (signal) =>
      runSearchWorker(job, { signal, linearJob, fs: isLocalFs(ctx.fs) ? undefined : ctx.fs }),
    );
    return textResult(report(answer, root, { query: run.query, maxBytes: ctx.budget.maxBytes }));
  } catch (thrown) {
    if (thrown instanceof SearchFault) return failureResult(`find: ${thrown.message}`);
    throw thrown;
  }
}

interface ReportOptions {
  readonly query: string;
  readonly maxBytes: number;
}

function report(answer: FindAnswer, root: OpenedRoot, { query, maxBytes }: ReportOptions): string {
  const lines = answer.names.map(({ path, kind }) => `${shownName(path)}${kind === "directory" ? "/" : ""}`);
  const shown = fitLines(lines, maxBytes);
  const more = formatCount(answer.total - shown);
  const notes = [
    ...(answer.total === 0 ? [`Nothing named ${quotedPattern(query)} in ${describeRoot(root)}.`] : []),
    ...(shown < answer.total ? [`[${more} more not shown; narrow the query or the path]`] : []),
    ...(answer.unreadable > 0 ? [`[folders that could not be read: ${formatCount(answer.unreadable)}]`] : []),
  ];
  return [...lines.slice(0, shown), ...(shown > 0 && notes.length > 0 ? [""] : []), ...notes].join("\n");
}

/**
 * A query with `*` or `?` is a glob for the whole name, or for the whole path if it has a slash. Any other query is a
 * part of the name. Case is ignored.
 */
async function parseNameQuery(query: string): Promise<NameQuery> {
  if (!/[*?]/.test(query)) return { kind: "substring", lowerCase: query.toLowerCase() };
  const { default: picomatch } = await import("picomatch");
  const glob = query.replace(/^\.?\/+/, "");
  const { source, flags } = picomatch.makeRe(glob, {
    dot: true,
    nocase: true,
    nonegate: true,
    noextglob: true,
  });
  return { kind: "glob", source, flags, wholePath: glob.includes("/") };
}

/** The query for the linear engine; undefined if the engine cannot express it. */
async function linearGlob(query: GlobQuery): Promise<GlobQuery | undefined> {
  const source = query.source.replaceAll(ALWAYS_TRUE, "").replaceAll(NEEDLESS_ESCAPE, "$1");
  const linear = await linearProgram(source, query.flags.includes("i") ? "i" : "");
  return linear && { ...query, linear };
}

/** Lookaheads of picomatch that hold for every name of a tree: it is not empty, and no part of it is `.` or `..`. */
const ALWAYS_TRUE = /\(\?=\.\)|\(\?!(?:\(\?:\^\|\\\/\))?\\\.\{1,2\}\(\?:\\\/\|\$\)\)/g;

/** Escapes that JavaScript forbids with the flag `u`. */
const NEEDLESS_ESCAPE = /\\([^\w^$\\.*+?()[\]{}|/-])/g;
