/** An object as a file has it. */
export interface JsonObject {
  readonly [member: string]: unknown;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
