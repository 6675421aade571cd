import { createRequire } from "node:module";
import { toLinearSyntax } from "./linear-syntax.ts";

/** A regular expression that is tested in time proportional to its size times the length of the text. */
interface LinearRegex {
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

/** An expression for the linear engine in a form that can be sent to another thread. */
export interface LinearProgram {
  /** The file of the engine, to be loaded with `require`. */
  readonly engine: string;
  /** The pattern in the engine's syntax. */
  readonly syntax: string;
  readonly ignoresCase: boolean;
}

/** Translates a JavaScript pattern. Returns nothing if the engine cannot express it or is part of a bundle. */
export async function linearProgram(pattern: string, flags: "" | "i"): Promise<LinearProgram | undefined> {
  const engine = engineFile();
  const compile = await loadLinearRegex();
  const syntax = engine !== undefined && compile(pattern, flags) ? toLinearSyntax(pattern) : undefined;
  return engine === undefined || syntax === undefined
    ? undefined
    : { engine, syntax, ignoresCase: flags === "i" };
}

function engineFile(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve("re2js");
  } catch {
    return undefined;
  }
}

/** Whether a text matches a pattern; `undefined` if it was not evaluated. */
export type MatchPattern = (pattern: string, text: string) => boolean | undefined;

/** Units of work for one check. A unit takes at most about 10 ns, so a check takes at most about 0.2 s. */
const MAX_WORK = 20_000_000;
/** Work to compile one character of a pattern. */
const COMPILE_WORK = 2000;
/** Work of the engine per character of a text, in addition to the size of the program. */
const TEST_WORK = 160;

/**
 * Patterns of one foreign schema, compiled on first use and kept. `startCheck` returns the matcher for one check: it
 * answers until the work budget is used up, and evaluates nothing after that.
 */
export function createBoundedPatterns(compile: CompileLinear): { startCheck(): MatchPattern } {
  const known = new Map<string, LinearRegex | undefined>();
  return {
    startCheck() {
      let workLeft = MAX_WORK;
      const spend = (work: number): boolean => {
        if (work > workLeft) return false;
        workLeft -= work;
        return true;
      };
      return (pattern, text) => {
        if (!known.has(pattern)) {
          if (!spend(pattern.length * COMPILE_WORK)) return undefined;
          known.set(pattern, compile(pattern));
        }
        const regex = known.get(pattern);
        if (!regex || !spend((regex.size + TEST_WORK) * (text.length + 1))) return undefined;
        return regex.test(text);
      };
    },
  };
}
