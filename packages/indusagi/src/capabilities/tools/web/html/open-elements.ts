import { impliedClose, TABLE_SCOPE, TABLE_TAGS } from "./elements.ts";

/** Real pages nest about thirty deep. The text of deeper elements is kept, but not their structure. */
const MAX_DEPTH = 150;

/** The stack of open elements. Its depth is limited, so that searching it takes limited time. */
export interface OpenElements<Element extends { readonly name: string }> {
  readonly top: Element | undefined;
  /** Closes the elements that a tag of this name closes implicitly. Returns whether another element may be pushed. */
  makeRoom(name: string): boolean;
  push(element: Element): void;
  /** Closes the nearest element of this name and everything inside it, if there is one in scope. */
  close(name: string): void;
  closeAll(): void;
}

/** Creates an empty stack. `onPop` is called for each element while it is still the top. */
export function createOpenElements<Element extends { readonly name: string }>(
  onPop: (element: Element) => void,
): OpenElements<Element> {
  const stack: Element[] = [];
  /** How many of each name are open, so that a tag that closes nothing needs no search. */
  const counts = new Map<string, number>();
  /** Tags opened beyond the depth limit; the same number of closing tags is ignored. */
  let beyond = 0;

  const popTo = (depth: number): void => {
    for (let top = stack.at(-1); top && stack.length > depth; top = stack.at(-1)) {
      onPop(top);
      stack.pop();
      counts.set(top.name, (counts.get(top.name) ?? 1) - 1);
    }
  };
  /** The index of the nearest element with one of the names, up to the nearest of `within`; -1 if there is none. */
  const nearest = (names: ReadonlySet<string>, within: ReadonlySet<string>): number => {
    if (![...names].some((name) => (counts.get(name) ?? 0) > 0)) return -1;
    for (let index = stack.length - 1; index >= 0; index--) {
      const name = stack[index]?.name ?? "";
      if (names.has(name)) return index;
      if (within.has(name)) return -1;
    }
    return -1;
  };

  return {
    get top() {
      return stack.at(-1);
    },
    makeRoom(name) {
      const rule = impliedClose(name);
      const index = rule && beyond === 0 ? nearest(rule.names, rule.within) : -1;
      if (index !== -1) popTo(index);
      if (stack.length < MAX_DEPTH) return true;
      beyond++;
      return false;
    },
    push(element) {
      stack.push(element);
      counts.set(element.name, (counts.get(element.name) ?? 0) + 1);
    },
    close(name) {
      if (beyond > 0) {
        beyond--;
        return;
      }
      const within = TABLE_TAGS.has(name) ? NO_SCOPE : TABLE_SCOPE;
      const index = nearest(new Set([name]), within);
      if (index !== -1) popTo(index);
    },
    closeAll: () => popTo(0),
  };
}

const NO_SCOPE: ReadonlySet<string> = new Set();
