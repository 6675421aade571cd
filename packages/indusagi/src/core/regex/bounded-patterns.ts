import type { CompileLinear, LinearRegex } from "./linear-regex.ts";

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
