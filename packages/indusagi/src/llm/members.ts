/** A JSON object under construction. */
export interface Members {
  [keyword: string]: unknown;
}

/** Sets an own member. A plain assignment to `__proto__` would replace the prototype instead. */
export function setMember(target: Members, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[name] = value;
  }
}

/** Reads an own member only: a property may be called `constructor`. */
export function ownMember(source: Members, name: string): unknown {
  return Object.hasOwn(source, name) ? source[name] : undefined;
}

/** A copy of `source` with the members of `extra` added or replaced. As in JSON, an `undefined` member is absent. */
export function withMembers(source: Members, extra: Members): Members {
  const copy: Members = {};
  for (const name of Object.keys(source)) setMember(copy, name, source[name]);
  for (const name of Object.keys(extra)) if (extra[name] !== undefined) setMember(copy, name, extra[name]);
  return copy;
}

/** A copy of `source` without the named members. */
export function withoutMembers(source: Members, ...names: readonly string[]): Members {
  const copy: Members = {};
  for (const name of Object.keys(source)) if (!names.includes(name)) setMember(copy, name, source[name]);
  return copy;
}

/**
 * Applies `change` to each member. Returns the same object if none changed, else a copy in the same order, without the
 * members for which `change` returned `undefined`.
 */
export function mapMembers(source: Members, change: (value: unknown, name: string) => unknown): Members {
  let copy: Members | undefined;
  for (const name of Object.keys(source)) {
    const before = source[name];
    if (before === undefined) continue;
    const after = change(before, name);
    if (copy === undefined) {
      if (after === before) continue;
      copy = membersBefore(source, name);
    }
    if (after !== undefined) setMember(copy, name, after);
  }
  return copy ?? source;
}

/** Applies `change` to each element. Returns the same array if none changed. */
export function mapElements(
  list: readonly unknown[],
  change: (value: unknown, index: number) => unknown,
): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const after = change(list[i], i);
    if (copy === undefined && after !== list[i]) copy = list.slice(0, i);
    copy?.push(after);
  }
  return copy ?? list;
}

function membersBefore(source: Members, end: string): Members {
  const copy: Members = {};
  for (const name of Object.keys(source)) {
    if (name === end) break;
    setMember(copy, name, source[name]);
  }
  return copy;
}
