import { toLinearSyntax } from "./linear-syntax.ts";

/** A regular expression that is tested in time proportional to its size times the length of the text. */
export interface LinearRegex {
  /** The number of steps of its program: a measure of the work per character. */
  readonly size: number;
  /** Whether some part of the text matches. */
  test(text: string): boolean;
}

/** Compiles a JavaScript pattern. Returns nothing if the engine cannot express it or it is too large. */
export type CompileLinear = (pattern: string, flags?: "" | "i") => LinearRegex | undefined;

/** A longer pattern is not compiled: `\p{L}` alone becomes a table of hundreds of ranges. */
const MAX_PATTERN_CHARS = 4000;
/** `(a{1,30}){1,30}` is short and has a program of a thousand steps. */
const MAX_SIZE = 2000;

let loading: Promise<CompileLinear> | undefined;

/** Loads the engine on first use. */
export function loadLinearRegex(): Promise<CompileLinear> {
  loading ??= import("re2js").then(({ RE2JS }) => (pattern, flags = "") => {
    if (pattern.length > MAX_PATTERN_CHARS) return undefined;
    const syntax = toLinearSyntax(pattern);
    if (syntax === undefined) return undefined;
    try {
      const compiled = RE2JS.compile(syntax, flags === "i" ? RE2JS.CASE_INSENSITIVE : 0);
      const size = compiled.programSize();
      return size > MAX_SIZE ? undefined : { size, test: (text) => compiled.test(text) };
    } catch {
      // More repetitions than the engine allows.
      return undefined;
    }
  });
  return loading;
}
