/** The limits for one schema. A node is an object or an array; the root has depth 1. */
export const SCHEMA_BUDGET: { readonly depth: number; readonly nodes: number; readonly bytes: number } = {
  depth: 64,
  nodes: 10_000,
  bytes: 256 * 1024,
};

/** The name of a limit that a schema exceeds. */
export type ExceededLimit = keyof typeof SCHEMA_BUDGET;

const PROBLEMS: { readonly [limit in ExceededLimit]: string } = {
  depth: `nested deeper than ${SCHEMA_BUDGET.depth} levels`,
  nodes: `more than ${SCHEMA_BUDGET.nodes} nodes`,
  bytes: `more than ${SCHEMA_BUDGET.bytes / 1024} KiB`,
};

/**
 * The text of a diagnostic for a schema that exceeds a limit, or `undefined` if it fits.
 *
 * Accepts any value, never throws, and stops at the first limit exceeded, so the cost is bounded for hostile schemas too.
 */
export function schemaBudgetProblem(schema: unknown): string | undefined {
  const limit = exceededLimit(schema);
  return limit && PROBLEMS[limit];
}

/** The first limit that a schema exceeds, if any. */
export function exceededLimit(schema: unknown): ExceededLimit | undefined {
  if (typeof schema !== "object" || schema === null || bytesOfSmall(schema, 1) <= SMALL_BYTES)
    return undefined;
  // Breadth first: depth is one counter, and a cycle simply exceeds the depth limit.
  let level: object[] = [schema];
  let nodes = 0;
  let bytes = 0;
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > SCHEMA_BUDGET.depth) return "depth";
    nodes += level.length;
    if (nodes > SCHEMA_BUDGET.nodes) return "nodes";
    const below: object[] = [];
    for (const node of level) {
      bytes += measureNode(node, below);
      if (bytes > SCHEMA_BUDGET.bytes) return "bytes";
    }
    level = below;
  }
  // The count above takes one byte per character. An escaped control character takes six, so only schemas within a
  // factor of six of the limit are serialised and measured exactly.
  return bytes * 6 > SCHEMA_BUDGET.bytes && exactBytes(schema) > SCHEMA_BUDGET.bytes ? "bytes" : undefined;
}

/** A schema of so few bytes is within all limits: it has fewer nodes, and escapes make it at most six times as long. */
const SMALL_BYTES = Math.min(SCHEMA_BUDGET.nodes, Math.floor(SCHEMA_BUDGET.bytes / 6));

/**
 * The bytes of a small schema, counted as below; infinite if it is not small or has half of the allowed depth. Nearly every schema is
 * small, and a thousand of them are checked before a server's tools are offered.
 */
function bytesOfSmall(node: object, depth: number): number {
  if (depth > SCHEMA_BUDGET.depth / 2) return Number.POSITIVE_INFINITY;
  let bytes = 1;
  for (const key in node) {
    const value = (node as { readonly [key: string]: unknown })[key];
    bytes += key.length + 4;
    if (typeof value === "string") bytes += value.length + 2;
    else if (typeof value !== "object" || value === null) bytes += 1;
    else bytes += bytesOfSmall(value, depth + 1);
    if (bytes > SMALL_BYTES) return Number.POSITIVE_INFINITY;
  }
  return bytes;
}

/** Whether a value nests more than `levels` objects and arrays. Only for values within the node limit. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(item, levels - 1));
  for (const key in value) {
    if (isDeeperThan((value as { readonly [key: string]: unknown })[key], levels - 1)) return true;
  }
  return false;
}

/** Counts the bytes of a node's own JSON text, keys and commas included. Adds its child nodes to `below`. */
function measureNode(node: object, below: object[]): number {
  // Two brackets, minus the comma that the last member does not have.
  let bytes = 1;
  if (Array.isArray(node)) {
    // Skip the elements of an array that is already too long.
    if (node.length > SCHEMA_BUDGET.bytes) return node.length;
    for (const value of node) bytes += 1 + measureValue(value, below);
  } else {
    for (const key in node) {
      bytes += key.length + 4 + measureValue((node as { readonly [key: string]: unknown })[key], below);
    }
  }
  return bytes;
}

function measureValue(value: unknown, below: object[]): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 1;
  below.push(value);
  return 0;
}

function exactBytes(schema: object): number {
  try {
    return Buffer.byteLength(JSON.stringify(schema));
  } catch {
    // Not serialisable, for example a BigInt: it could not be sent at any size.
    return Number.POSITIVE_INFINITY;
  }
}
