import { createRequire } from "node:module";
import { loadLinearRegex } from "./linear-regex.ts";
import { toLinearSyntax } from "./linear-syntax.ts";

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
