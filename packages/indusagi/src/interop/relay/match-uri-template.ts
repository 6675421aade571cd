/** Longer templates and URIs match nothing, which bounds the work for one pair. */
const MAX_CHARS = 2_000;

/** One step of a template: a character, possibly repeated. */
interface Step {
  readonly takes: (char: string) => boolean;
  readonly repeats: boolean;
  /** How many steps can be skipped from here: an expression without values expands to nothing. */
  readonly optional: number;
}

/** What an expression expands to, by its operator: how it begins, and which characters follow. */
const OPERATORS: { readonly [operator: string]: { readonly first: string; readonly excluded: string } } = {
  "+": { first: "", excluded: "" },
  "#": { first: "#", excluded: "" },
  ".": { first: ".", excluded: "/?#" },
  "/": { first: "/", excluded: "?#" },
  ";": { first: ";", excluded: "/?#" },
  "?": { first: "?", excluded: "#" },
  "&": { first: "&", excluded: "#" },
};
const SIMPLE = { first: "", excluded: "/?#" };

/**
 * Whether a URI can be an expansion of a URI template (RFC 6570). Values are not checked against modifiers such as
 * prefixes. The work grows with the product of both lengths: templates come from servers, so there is no backtracking.
 */
export function matchesUriTemplate(template: unknown, uri: string): boolean {
  if (typeof template !== "string" || template.length > MAX_CHARS || uri.length > MAX_CHARS) return false;
  const steps = stepsOf(template);
  if (!steps) return false;
  let active = new Set<number>();
  enter(steps, 0, active);
  for (const char of uri) {
    const next = new Set<number>();
    for (const at of active) {
      const step = steps[at];
      if (!step?.takes(char)) continue;
      if (step.repeats) next.add(at);
      enter(steps, at + 1, next);
    }
    if (next.size === 0) return false;
    active = next;
  }
  return active.has(steps.length);
}

/** Adds a position, and those behind optional steps at it. */
function enter(steps: readonly Step[], from: number, positions: Set<number>): void {
  for (let at = from; !positions.has(at); ) {
    positions.add(at);
    const { optional = 0 } = steps[at] ?? {};
    if (optional === 0) return;
    at += optional;
  }
}

/** The steps of a template; undefined if a brace is not closed. */
function stepsOf(template: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  for (const [part] of template.matchAll(/\{[^{}]*\}|[^{}]|[{}]/gu)) {
    if (part === "{" || part === "}") return undefined;
    if (part.startsWith("{")) steps.push(...expressionSteps(part.slice(1, -1)));
    else steps.push({ takes: (char) => char === part, repeats: false, optional: 0 });
  }
  return steps;
}

function expressionSteps(expression: string): readonly Step[] {
  const { first, excluded } = OPERATORS[expression.charAt(0)] ?? SIMPLE;
  const value: Step = { takes: (char) => !excluded.includes(char), repeats: false, optional: 0 };
  // At least one character.
  const more: Step = { ...value, repeats: true, optional: 1 };
  if (first === "") return [value, more];
  return [{ takes: (char) => char === first, repeats: false, optional: 3 }, value, more];
}
