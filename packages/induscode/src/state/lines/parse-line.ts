/** The JSON object in a line. Undefined if there is none: a power cut may leave half a line. */
export function parseLine(line: string): { readonly [member: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
