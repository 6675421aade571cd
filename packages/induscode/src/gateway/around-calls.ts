import type { ToolDescriptor } from "indusagi/llm";
import { layerBox, type ToolBox, type ToolRunner } from "indusagi/runtime";

/** Runs a call. Use `find` after it: a tool whose server was starting is known only then. */
export type AroundCall = (
  run: ToolRunner["run"],
  find: (name: string) => ToolDescriptor | undefined,
) => ToolRunner["run"];

/** A layer around the calls of all tools, including those that a layer below waits for. */
export function aroundCalls(box: ToolBox, around: AroundCall): ToolBox {
  return layerBox(box, {
    call: ({ descriptor, run }) => around(run, () => descriptor),
    missing: (next) => around(next, (name) => box.descriptors().find((tool) => tool.name === name)),
  });
}
