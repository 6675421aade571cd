import type { LinearProgram } from "../../../core/internal.ts";

interface Engine {
  readonly RE2JS: {
    readonly CASE_INSENSITIVE: number;
    compile(syntax: string, flags: number): { test(text: string): boolean };
  };
}

/**
 * Makes the test of a program for the linear engine.
 * Part of the worker's text: it must not use anything from outside its own braces.
 */
export function linearTest(
  load: (file: string) => unknown,
  { engine, syntax, ignoresCase }: LinearProgram,
): (text: string) => boolean {
  const { RE2JS } = load(engine) as Engine;
  const compiled = RE2JS.compile(syntax, ignoresCase ? RE2JS.CASE_INSENSITIVE : 0);
  return (text) => compiled.test(text);
}
