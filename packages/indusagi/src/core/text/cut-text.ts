/** The first `maxUnits` UTF-16 units of a text, one fewer where that would split a surrogate pair. */
export function cutText(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  const last = text.charCodeAt(maxUnits - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splitsPair ? maxUnits - 1 : Math.max(0, maxUnits));
}

/** The last `maxUnits` UTF-16 units of a text, one fewer where that would split a surrogate pair. */
export function textEnd(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  const start = text.length - Math.max(0, maxUnits);
  const first = text.charCodeAt(start);
  return text.slice(first >= 0xdc00 && first <= 0xdfff ? start + 1 : start);
}

/** The text in at most `maxUnits` UTF-16 units; a text that was cut ends with "…". */
export function shortenText(text: string, maxUnits: number): string {
  return text.length <= maxUnits ? text : `${cutText(text, Math.max(0, maxUnits - 1))}…`;
}
