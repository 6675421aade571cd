/** The object in a line. Undefined if the line holds none: a power cut may leave half of one. */
export function parseLine(line: string): { readonly [member: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
