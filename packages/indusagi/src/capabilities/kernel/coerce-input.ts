/**
 * Undoes the two commonest slips of models and hurried clients: arguments sent as JSON text, and no arguments
 * sent as null. Everything else is passed on untouched, for the tool to judge.
 */
export function coerceInput(input: unknown): unknown {
  if (input === null || input === undefined) return {};
  if (typeof input !== "string") return input;
  const text = input.trim();
  if (!isBracketed(text)) return input;
  try {
    return JSON.parse(text);
  } catch {
    return input;
  }
}

function isBracketed(text: string): boolean {
  return (text.startsWith("{") && text.endsWith("}")) || (text.startsWith("[") && text.endsWith("]"));
}
