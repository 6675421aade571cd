import type { ToolBox } from "../contract/index.ts";
import { createToolIndex, type ToolIndex } from "./search/index.ts";

/** One index for each box: a gateway shows one box to its clients in several ways. */
const indexes = new WeakMap<ToolBox, Promise<ToolIndex>>();

/** The index of a box, brought up to date. It is built by the first search. */
export async function indexOfBox(box: ToolBox): Promise<ToolIndex> {
  let created = indexes.get(box);
  if (!created) {
    created = createToolIndex();
    indexes.set(box, created);
  }
  const index = await created;
  index.update(box.descriptors());
  return index;
}
