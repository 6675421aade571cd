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

/** The window of the current model. */
export interface ModelWindow {
  readonly windowTokens: number;
  /** Called when another model may have another window. */
  readonly onChange: (listener: () => void) => unknown;
}

/**
 * Lists all tools while they fit a tenth of the window. Else it lists our own and those of small servers as far as they fit,
 * and the model searches for the rest. Which are listed does not depend on what was used last, so that the list is stable.
 */
export function withinWindow(box: ToolBox, window: ModelWindow): ToolBox {
  const own = (): readonly ToolDescriptor[] => box.descriptors().filter(isOwn);
  const tokens = (): number => Math.max(window.windowTokens * MAX_TOOL_SHARE, listCost(own()));
  return economize(box, {
    recent: 0,
    onOptionsChange: window.onChange,
    // Read for each list: the model and the tools change.
    get above() {
      return { tokens: tokens() };
    },
    get visibleTokens() {
      return tokens();
    },
    get pinned() {
      return own().map(({ name }) => name);
    },
  });
}

const isOwn = ({ origin }: ToolDescriptor): boolean => origin === undefined;

/** The sort is stable: our own tools keep their order. */
function ownFirst(a: ToolDescriptor, b: ToolDescriptor): number {
  if (isOwn(a) || isOwn(b)) return Number(isOwn(b)) - Number(isOwn(a));
  return a.name < b.name ? -1 : Number(a.name > b.name);
}
