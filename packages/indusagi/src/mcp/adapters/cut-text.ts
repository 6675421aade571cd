/** The beginning of a text in at most `length` UTF-16 units, no character split, with a sign where it was cut. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = text.slice(0, Math.max(0, length - 1));
  return `${head.replace(/[\ud800-\udbff]$/, "")}…`;
}
