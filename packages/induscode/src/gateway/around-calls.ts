import type { ToolDescriptor } from "indusagi/llm";
import { layerBox, type ToolBox, type ToolRunner } from "indusagi/runtime";

/** Runs a call. `find` is for afterwards: a tool whose server was starting is known when its call has ended. */
export type AroundCall = (
  run: ToolRunner["run"],
  find: (name: string) => ToolDescriptor | undefined,
) => ToolRunner["run"];

/** A layer around the calls of all tools, also of those that a layer below waits for. */
export function aroundCalls(box: ToolBox, around: AroundCall): ToolBox {
  return layerBox(box, {
    call: ({ descriptor, run }) => around(run, () => descriptor),
    missing: (next) => around(next, (name) => box.descriptors().find((tool) => tool.name === name)),
  });
}
