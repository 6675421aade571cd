/** One place in which two values differ. */
export interface Difference {
  /** For example `result.content[0].text`. Empty for the whole value. */
  readonly path: string;
  /** The value without a gateway, and the one through it. Undefined: there is none. */
  readonly direct: unknown;
  readonly through: unknown;
}

/** Every place in which two JSON values differ. The order of members does not count. */
export function differences(direct: unknown, through: unknown, path = ""): readonly Difference[] {
  if (Object.is(direct, through)) return [];
  if (Array.isArray(direct) && Array.isArray(through)) {
    const length = Math.max(direct.length, through.length);
    return Array.from({ length }, (_, at) =>
      differences(direct[at] as unknown, through[at] as unknown, `${path}[${at}]`),
    ).flat();
  }
  if (isObject(direct) && isObject(through)) {
    const members = new Set([...Object.keys(direct), ...Object.keys(through)]);
    return [...members].flatMap((member) =>
      differences(direct[member], through[member], path === "" ? member : `${path}.${member}`),
    );
  }
  return [{ path, direct, through }];
}

function isObject(value: unknown): value is { readonly [member: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether one of two paths leads to the other or to the same place. */
export function isSamePlace(path: string, other: string): boolean {
  const [short, long] = path.length < other.length ? [path, other] : [other, path];
  return long === short || short === "" || long.startsWith(`${short}.`) || long.startsWith(`${short}[`);
}
