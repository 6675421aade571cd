import type { ToolOutcome } from "indusagi/runtime";

/** Stop after this many values: measuring must cost less than the call. */
const MAX_VALUES = 100_000;

/** About how many bytes a value needs as JSON, without escapes. Of a huge structure, only the first part is measured. */
export function jsonSize(value: unknown): number {
  const left: unknown[] = [value];
  let bytes = 0;
  for (let looked = 0; left.length > 0 && looked < MAX_VALUES; looked += 1) {
    const next = left.pop();
    if (typeof next === "string") bytes += Buffer.byteLength(next) + 2;
    else if (Array.isArray(next)) {
      bytes += 2 + Math.max(0, next.length - 1);
      for (let at = 0; at < next.length && at < MAX_VALUES; at += 1) left.push(next[at]);
    } else if (typeof next === "object" && next !== null) {
      bytes += 2;
      let members = 0;
      // Not `Object.entries`: this runs for each call, and would make an array for each member.
      for (const name in next) {
        members += 1;
        bytes += Buffer.byteLength(name) + 3;
        left.push(next[name as keyof typeof next]);
      }
      bytes += Math.max(0, members - 1);
    } else if (typeof next === "number") bytes += String(next).length;
    else if (next !== undefined) bytes += next === true || next === null ? 4 : 5;
  }
  return bytes;
}

const sizes = new WeakMap<ToolOutcome, number>();
/** Smaller results are measured again in less time than it takes to remember them: an entry for each call costs every collection of garbage. */
const LARGE_BYTES = 16 * 1024;

/** The size of a result as its server sent it. A large one is measured once for audit, metrics and previews. */
export function resultSize(outcome: ToolOutcome): number {
  const known = sizes.get(outcome) ?? outcome.wire?.bytes?.().length;
  if (known !== undefined) return known;
  const bytes = jsonSize(outcome.wire?.value() ?? outcome.result);
  if (bytes >= LARGE_BYTES) sizes.set(outcome, bytes);
  return bytes;
}
