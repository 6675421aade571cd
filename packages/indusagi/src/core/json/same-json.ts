/** Whether two JSON values are equal; the order of members does not matter. Recursive: a value may be too deep for the stack. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && sameItems(a, b);
  return !Array.isArray(b) && sameMembers(a as Members, b as Members);
}

type Members = { readonly [name: string]: unknown };

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (!sameJson(a[at], b[at])) return false;
  return true;
}

function sameMembers(a: Members, b: Members): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  for (const name of names) if (!Object.hasOwn(b, name) || !sameJson(a[name], b[name])) return false;
  return true;
}
