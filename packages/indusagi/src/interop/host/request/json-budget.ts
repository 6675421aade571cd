/** Limits for the structure of a message, besides its size: a small text can become a large heap. */
export interface JsonBudget {
  /** Levels of nested arrays and objects. */
  readonly depth: number;
  /** Members of objects and elements of arrays in total. */
  readonly elements: number;
}

/** Fills in the defaults. A limit that is `undefined` keeps its default. */
export function resolveJsonBudget(given: Partial<JsonBudget> = {}): JsonBudget {
  const { depth = 128, elements = 200_000 } = given;
  return { depth, elements };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/**
 * Which limit a JSON text exceeds, before it is parsed; `undefined` if none. One pass over the bytes, without
 * allocation. Text that is not JSON may pass: the parser will reject it.
 */
export function jsonTextProblem(bytes: Uint8Array, budget: JsonBudget): string | undefined {
  let depth = 0;
  let elements = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === COMMA) elements += 1;
    else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      elements += 1;
      if (depth > budget.depth) return tooDeep(budget);
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
    if (elements > budget.elements) return tooMany(budget);
  }
  return undefined;
}

/** The same for a parsed value. */
export function jsonValueProblem(value: unknown, budget: JsonBudget): string | undefined {
  let elements = 0;
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const next: unknown[] = [];
    for (const node of level) {
      if (typeof node !== "object" || node === null) continue;
      if (depth >= budget.depth) return tooDeep(budget);
      const children: unknown[] = Array.isArray(node) ? node : Object.values(node);
      // Counted as in the text: one per container and one per comma.
      elements += Math.max(1, children.length);
      if (elements > budget.elements) return tooMany(budget);
      for (const child of children) if (typeof child === "object" && child !== null) next.push(child);
    }
    level = next;
  }
  return undefined;
}

/** Whether every message within one budget is also within another, so it need not be measured again. */
export function impliesBudget(measured: JsonBudget, budget: JsonBudget): boolean {
  return measured.depth <= budget.depth && measured.elements <= budget.elements;
}

function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    if (bytes[at] === BACKSLASH) at += 1;
    else if (bytes[at] === QUOTE) return at;
  }
  return bytes.length;
}

function tooDeep({ depth }: JsonBudget): string {
  return `the message is nested more than ${depth} levels deep`;
}

function tooMany({ elements }: JsonBudget): string {
  return `the message has more than ${elements} elements`;
}
