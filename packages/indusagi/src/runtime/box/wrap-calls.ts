import type { ToolBox, ToolRunner } from "../contract/index.ts";

/** The same tools, whose calls go to `run`. It passes on to the box what it does not answer itself. */
export function wrapCalls(box: ToolBox, run: ToolRunner["run"]): ToolBox {
  return {
    descriptors: () => box.descriptors(),
    onChange: (listener) => box.onChange(listener),
    refusalOf: box.refusalOf,
    runner: { run },
  };
}
