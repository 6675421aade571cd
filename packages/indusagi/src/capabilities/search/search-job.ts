import { CoreError, showDuration } from "../../core/index.ts";
import type { LinearProgram } from "../../core/internal.ts";

/**
 * Text in which each character is one byte. Names and lines on a disk need not be valid UTF-8; this form keeps them
 * unchanged until they are shown.
 */
export type ByteText = string;

/** Where a search starts, and from which folder on `.gitignore` files apply. */
export interface SearchRoot {
  /** The folder to search, or one file. Absolute, links followed. */
  readonly path: string;
  readonly isFile: boolean;
  /** `path` itself or a folder above it. */
  readonly rulesFrom: string;
}

/** The limits of both engines. */
export interface SearchLimits {
  /** Larger files are not searched. */
  readonly fileBytes: number;
  /** A file is binary if its first `sampleBytes` contain a zero byte. */
  readonly sampleBytes: number;
  /** Longer lines are cut. */
  readonly lineBytes: number;
  /** Counting stops here. */
  readonly hits: number;
}

export const SEARCH_LIMITS: SearchLimits = {
  fileBytes: 2 * 1024 * 1024,
  sampleBytes: 4096,
  // At most 500 characters of a line are shown, which need at most 1500 bytes.
  lineBytes: 2000,
  hits: 20_000,
};

export interface Expression {
  readonly source: string;
  readonly flags: string;
}

/** What the JavaScript engine looks for in a line. */
export interface LineExpression {
  /** For any text. */
  readonly any: Expression;
  /** For ASCII text, where it is much faster. */
  readonly ascii: Expression;
  /** Every match contains these bytes. */
  readonly requires?: ByteText | undefined;
  /** A match is exactly the bytes of `requires`. */
  readonly isLiteral: boolean;
  /** Each line must be tested alone: searching the whole text could miss a match. */
  readonly lineByLine: boolean;
  /** Use the linear engine where possible, because the expressions backtrack for too long. */
  readonly linear?: LinearLine;
}

/** What the linear engine looks for in a line. */
export interface LinearLine {
  readonly program: LinearProgram;
  /** The program has another meaning in other texts. */
  readonly onlyAscii: boolean;
}

export interface GrepJob {
  readonly kind: "grep";
  readonly root: SearchRoot;
  readonly expression: LineExpression;
  /** How many hits to return; the rest is only counted. */
  readonly cap: number;
  readonly limits: SearchLimits;
}

/** Names that contain a text, or whose name or whole path matches an expression. */
export type NameQuery = { readonly kind: "substring"; readonly lowerCase: string } | GlobQuery;

export interface GlobQuery {
  readonly kind: "glob";
  readonly source: string;
  readonly flags: string;
  readonly wholePath: boolean;
  /** For names of printable ASCII: use the linear engine, because the expression backtracks for too long. */
  readonly linear?: LinearProgram;
}

export type EntryKind = "file" | "directory" | "symlink" | "other";

export interface FindJob {
  readonly kind: "find";
  readonly root: SearchRoot;
  readonly query: NameQuery;
  readonly only?: EntryKind | undefined;
  readonly cap: number;
  readonly limits: SearchLimits;
}

export type SearchJob = GrepJob | FindJob;

export interface GrepHit {
  /** Relative to the root; empty when the root is the file. */
  readonly path: ByteText;
  readonly line: number;
  /** Without its line ending, and cut to `lineBytes`. */
  readonly text: ByteText;
}

export interface GrepAnswer {
  /** The first hits, sorted by path (folder by folder) and line. */
  readonly hits: readonly GrepHit[];
  readonly total: number;
  /** False if counting stopped at the limit, so there are more than `total`. */
  readonly isComplete: boolean;
  readonly tooLarge: number;
  readonly unreadable: number;
}

export interface FoundName {
  /** Relative to the root. */
  readonly path: ByteText;
  readonly kind: EntryKind;
}

export interface FindAnswer {
  readonly names: readonly FoundName[];
  readonly total: number;
  readonly unreadable: number;
}

/** Why a search failed: it took too long, its pattern is not valid or takes too much work, or the engine failed. */
type SearchFaultKind = "timeout" | "pattern" | "budget" | "engine";

/** A search that failed. The message is for a model. */
export class SearchFault extends CoreError<SearchFaultKind> {}

export function searchTimedOut(deadlineMs: number): SearchFault {
  return new SearchFault(
    "timeout",
    `no result within ${showDuration(deadlineMs)}; search a smaller folder or use a simpler pattern`,
  );
}
