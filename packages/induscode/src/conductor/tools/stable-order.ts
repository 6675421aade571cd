import type { ToolDescriptor } from "indusagi/llm";
import { economize, listCost, type ToolBox, viewBox } from "indusagi/runtime";

/** A larger share of the window for the descriptions of tools is not worth it. */
const MAX_TOOL_SHARE = 0.1;

/**
 * The tools in an order that does not depend on which server was ready first: our own as they are, then those of servers by
 * name. The beginning of a request stays the same, and a vendor's cache of it valid.
 */
export function stableOrder(box: ToolBox): ToolBox {
  return viewBox(box, { show: (tool) => tool, order: ownFirst });
}

/**
 * Lists the tools of servers only as far as they fit a tenth of the window; the model searches for the rest. Which are listed
 * does not depend on what was used last, so that the list is stable.
 */
export function withinWindow(box: ToolBox, windowTokens: number): ToolBox {
  const own = box.descriptors().filter(isOwn);
  const tokens = Math.max(windowTokens * MAX_TOOL_SHARE, listCost(own));
  return economize(box, { above: { tokens }, pinned: own.map(({ name }) => name), recent: 0 });
}

const isOwn = ({ origin }: ToolDescriptor): boolean => origin === undefined;

/** The sort is stable: our own tools keep their order. */
function ownFirst(a: ToolDescriptor, b: ToolDescriptor): number {
  if (isOwn(a) || isOwn(b)) return Number(isOwn(b)) - Number(isOwn(a));
  return a.name < b.name ? -1 : Number(a.name > b.name);
}
