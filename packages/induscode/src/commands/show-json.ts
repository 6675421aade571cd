// What escapeForDisplay writes out, as far as JSON itself leaves it as it is.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** JSON to read or to parse: what a terminal would obey or hide is escaped the way JSON does it, so the value is the same. */
export function showJson(value: unknown): string {
  const text = JSON.stringify(value, undefined, 2) ?? "null";
  return `${text.replace(UNSEEN, (char) => (char === "\n" ? char : escaped(char)))}\n`;
}

function escaped(char: string): string {
  return Array.from({ length: char.length }, (_, at) => char.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
    .join("");
}
