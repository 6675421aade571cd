// The characters that escapeForDisplay escapes and JSON.stringify does not.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Indented JSON. Control and invisible characters become JSON escapes, so the text still parses to the same value. */
export function showJson(value: unknown): string {
  return `${escapedJson(value, 2)}\n`;
}

/** The same in one line. */
export function showJsonLine(value: unknown): string {
  return `${escapedJson(value, 0)}\n`;
}

function escapedJson(value: unknown, indent: number): string {
  const text = JSON.stringify(value, undefined, indent) ?? "null";
  return text.replace(UNSAFE, (char) => (char === "\n" ? char : escaped(char)));
}

function escaped(char: string): string {
  return Array.from({ length: char.length }, (_, at) => char.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
    .join("");
}
