/** Whether a value is an object with members: neither `null` nor an array. */
export function isRecord(value: unknown): value is { [member: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
