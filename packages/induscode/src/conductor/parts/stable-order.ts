import type { ToolDescriptor } from "indusagi/llm";
import { economize, listCost, type ToolBox, viewBox } from "indusagi/runtime";

/** The largest share of the window for tool descriptions. */
const MAX_TOOL_SHARE = 0.1;

/**
 * Orders tools independently of which server was ready first: native tools as they are, then those of servers by name. The
 * beginning of a request stays the same, and the vendor's prompt cache valid.
 */
export function stableOrder(box: ToolBox): ToolBox {
  return viewBox(box, { show: (tool) => tool, order: ownFirst });
}

/** The window of the current model. */
export interface ModelWindow {
  readonly windowTokens: number;
  /** Calls the listener when the model, and with it the window, may have changed. */
  readonly onChange: (listener: () => void) => unknown;
}

/**
 * Lists all tools while they fit a tenth of the window. Otherwise lists native tools and those of small servers as far as they
 * fit, and the model searches for the rest. To keep the list stable, it does not depend on what was used last.
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

/** Lists native tools, and those of servers as functions for programs. The session shortens long results itself. */
export function throughPrograms(box: ToolBox): ToolBox {
  return economize(box, {
    mode: "code",
    code: { resultChars: "whole" },
    get pinned() {
      return box
        .descriptors()
        .filter(isOwn)
        .map(({ name }) => name);
    },
  });
}

const isOwn = ({ origin }: ToolDescriptor): boolean => origin === undefined;

/** The sort is stable: native tools keep their order. */
function ownFirst(a: ToolDescriptor, b: ToolDescriptor): number {
  if (isOwn(a) || isOwn(b)) return Number(isOwn(b)) - Number(isOwn(a));
  return a.name < b.name ? -1 : Number(a.name > b.name);
}
