import { linearProgram } from "../../../core/internal.ts";
import type { GlobQuery } from "../search-job.ts";

/** The query for the linear engine; nothing if the engine cannot express it. */
export async function linearGlob(query: GlobQuery): Promise<GlobQuery | undefined> {
  const source = query.source.replaceAll(ALWAYS_TRUE, "").replaceAll(NEEDLESS_ESCAPE, "$1");
  const linear = await linearProgram(source, query.flags.includes("i") ? "i" : "");
  return linear && { ...query, linear };
}

/** Lookaheads of picomatch that hold for every name of a tree: it is not empty, and no part of it is `.` or `..`. */
const ALWAYS_TRUE = /\(\?=\.\)|\(\?!(?:\(\?:\^\|\\\/\))?\\\.\{1,2\}\(\?:\\\/\|\$\)\)/g;

/** Escapes that JavaScript forbids with the flag `u`. */
const NEEDLESS_ESCAPE = /\\([^\w^$\\.*+?()[\]{}|/-])/g;
