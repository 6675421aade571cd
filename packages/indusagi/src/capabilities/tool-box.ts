import type { ToolBox } from "../runtime/index.ts";
import { builtinRegistry } from "./builtin-registry.ts";
import { type LocalContextOptions, makeLocalContext } from "./local/index.ts";

/** A box of native tools on this machine. Close it to end the processes that its tools left running. */
export interface LocalToolBox extends ToolBox, AsyncDisposable {
  close(): Promise<void>;
}

/** The native tools of a collection (`read-only`, `coding` or `all`), working in a folder. */
export function toolBox(
  collection: string,
  cwd: string = process.cwd(),
  options: LocalContextOptions = {},
): LocalToolBox {
  const context = makeLocalContext(cwd, options);
  const box = builtinRegistry().toToolBox(() => context, collection);
  const close = (): Promise<void> => context.close();
  return { ...box, close, [Symbol.asyncDispose]: close };
}
