import type { ToolBox } from "../runtime/index.ts";
import { builtinRegistry } from "./builtin-registry.ts";
import { type LocalContextOptions, makeLocalContext } from "./local/index.ts";

/** A box of native tools on this machine. Whoever made it closes it: that ends what its tools left running. */
export interface LocalToolBox extends ToolBox, AsyncDisposable {
  close(): Promise<void>;
}

/** The native tools of a collection (`read-only`, `coding`, `all`) at work in a folder. */
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
