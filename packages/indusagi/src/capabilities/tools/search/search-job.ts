/**
 * Text in which every character stands for one byte. Names and lines found on a disk need not be valid UTF-8;
 * in this form none of them is changed until it is shown.
 */
export type ByteText = string;

/** Where a search starts, and from which folder down `.gitignore` files count. */
export interface SearchRoot {
  /** The folder to search, or the one file. Absolute and real. */
  readonly path: string;
  readonly isFile: boolean;
  /** `path` itself or a folder above it. */
  readonly rulesFrom: string;
}

/** The numbers both engines keep to. */
export interface SearchLimits {
  /** Larger files are not searched. */
  readonly fileBytes: number;
  /** A zero byte among so many first bytes makes a file binary. */
  readonly sampleBytes: number;
  /** No more of a line is kept. */
  readonly lineBytes: number;
  /** No more hits are counted. */
  readonly hits: number;
}

export const SEARCH_LIMITS: SearchLimits = {
  fileBytes: 2 * 1024 * 1024,
  sampleBytes: 4096,
  // Whatever is shown of a line is at most 500 characters, and those need at most 1500 bytes.
  lineBytes: 2000,
  hits: 20_000,
};

export interface Expression {
  readonly source: string;
  readonly flags: string;
}

/** What to look for in a line, for the JavaScript engine. */
export interface LineExpression {
  /** Good for every text. */
  readonly any: Expression;
  /** The same for texts of ASCII alone, where it is much faster. */
  readonly ascii: Expression;
  /** Every match has these bytes in it. */
  readonly requires?: ByteText;
  /** A match is these bytes and nothing else. */
  readonly isLiteral: boolean;
  /** Each line must be tried alone: a look at the whole text could miss a match. */
  readonly lineByLine: boolean;
}

export interface GrepJob {
  readonly kind: "grep";
  readonly root: SearchRoot;
  readonly expression: LineExpression;
  /** How many hits are wanted; the rest is only counted. */
  readonly cap: number;
  readonly limits: SearchLimits;
}

/** Which names are wanted: those that contain a text, or match an expression with their name or whole path. */
export type NameQuery =
  | { readonly kind: "substring"; readonly lowerCase: string }
  | { readonly kind: "glob"; readonly source: string; readonly flags: string; readonly wholePath: boolean };

export type EntryKind = "file" | "directory" | "symlink" | "other";

export interface FindJob {
  readonly kind: "find";
  readonly root: SearchRoot;
  readonly query: NameQuery;
  readonly only?: EntryKind;
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
  /** The first of all hits by path, folder by folder, then by line. */
  readonly hits: readonly GrepHit[];
  readonly total: number;
  /** False when counting stopped at the limit: there are more than `total`. */
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
