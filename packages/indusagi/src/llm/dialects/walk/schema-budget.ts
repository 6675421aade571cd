/** How large a schema may be. A node is an object or an array; the root has depth 1. */
export const SCHEMA_BUDGET: { readonly depth: number; readonly nodes: number; readonly bytes: number } = {
  depth: 64,
  nodes: 10_000,
  bytes: 256 * 1024,
};

/** A limit that a schema passes. */
export type PassedLimit = keyof typeof SCHEMA_BUDGET;

const PROBLEMS: { readonly [limit in PassedLimit]: string } = {
  depth: `nested deeper than ${SCHEMA_BUDGET.depth} levels`,
  nodes: `more than ${SCHEMA_BUDGET.nodes} nodes`,
  bytes: `more than ${SCHEMA_BUDGET.bytes / 1024} KiB`,
};

/**
 * What is too large about a schema, in words for a diagnostic, or `undefined` when it fits.
 *
 * Takes any value, never throws, and stops at the first limit passed: a hostile schema costs no more than a large one.
 */
export function schemaBudgetProblem(schema: unknown): string | undefined {
  const limit = passedLimit(schema);
  return limit && PROBLEMS[limit];
}

/** The first limit that a schema passes, if any. */
export function passedLimit(schema: unknown): PassedLimit | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  // Level by level, so that the depth is one counter and a cycle is just a schema without end.
  let level: object[] = [schema];
  let nodes = 0;
  let bytes = 0;
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > SCHEMA_BUDGET.depth) return "depth";
    nodes += level.length;
    if (nodes > SCHEMA_BUDGET.nodes) return "nodes";
    const below: object[] = [];
    for (const node of level) {
      bytes += weigh(node, below);
      if (bytes > SCHEMA_BUDGET.bytes) return "bytes";
    }
    level = below;
  }
  // So far a character counted as a byte. It can be six of them (a control character, escaped), so a schema near the
  // limit, and no other, is weighed exactly.
  return bytes * 6 > SCHEMA_BUDGET.bytes && exactBytes(schema) > SCHEMA_BUDGET.bytes ? "bytes" : undefined;
}

/** Whether a value nests more than `levels` objects and arrays. For values within the budget of nodes. */
export function isTaller(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isTaller(item, levels - 1));
  for (const key in value) {
    if (isTaller((value as { readonly [key: string]: unknown })[key], levels - 1)) return true;
  }
  return false;
}

/** The bytes of a node's own text, keys and commas included; the nodes in it go to `below`. */
function weigh(node: object, below: object[]): number {
  // Two brackets, less the comma that the last member does not have.
  let bytes = 1;
  if (Array.isArray(node)) {
    // An array's length is known without looking; a key's is not.
    if (node.length > SCHEMA_BUDGET.bytes) return node.length;
    for (const value of node) bytes += 1 + weighValue(value, below);
  } else {
    for (const key in node) {
      bytes += key.length + 4 + weighValue((node as { readonly [key: string]: unknown })[key], below);
    }
  }
  return bytes;
}

function weighValue(value: unknown, below: object[]): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 1;
  below.push(value);
  return 0;
}

function exactBytes(schema: object): number {
  try {
    return Buffer.byteLength(JSON.stringify(schema));
  } catch {
    // Something JSON cannot hold (a BigInt, say): it cannot be sent, whatever its size.
    return Number.POSITIVE_INFINITY;
  }
}
