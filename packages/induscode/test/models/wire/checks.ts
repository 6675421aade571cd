export type JsonRecord = { readonly [member: string]: unknown };

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Why a vendor would refuse a call that the conversation repeats. */
export function callProblem(name: unknown, input: unknown, names: RegExp): string | undefined {
  if (!names.test(String(name))) return `invalid name of a call: ${String(name)}`;
  return isRecord(input) ? undefined : `the arguments of ${String(name)} are not an object`;
}

/** The value of a JSON text. Undefined if it is none. */
export function parsedJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}

/** Why a vendor would refuse the schema of a tool. */
export function schemaProblem(
  schema: unknown,
  { forbidden }: { readonly forbidden: readonly string[] },
): string | undefined {
  if (!isRecord(schema)) return "the parameters are not an object";
  if (String(schema["type"]).toLowerCase() !== "object")
    return "the root of the parameters must have the type object";
  const found = forbidden.find((keyword) => keyword in schema);
  return found === undefined ? undefined : `${found} is not allowed at the root of the parameters`;
}
