/**
 * Characters that a reader does not see and a model may obey: controls, format characters (zero-width, reading direction,
 * tags), fillers, and the selectors that can carry a hidden text. Tabs and line ends are visible.
 */
const INVISIBLE =
  /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\uffa0\u{e0000}-\u{e0fff}]|[\ufe00-\ufe0f]/gu;
/** Inside an emoji these two characters are part of what is seen. */
const IN_EMOJI =
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}#*0-9])\ufe0f|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d(?=\p{Extended_Pictographic})/gu;

/** The invisible characters of which a value has more than before, each once. Members and their names count. */
export function gainedInvisible(before: unknown, after: unknown): string[] {
  const old = countInvisible(before);
  return [...countInvisible(after)].flatMap(([char, count]) => (count > (old.get(char) ?? 0) ? [char] : []));
}

function countInvisible(value: unknown): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === "string")
      for (const [char] of next.replace(IN_EMOJI, "").matchAll(INVISIBLE))
        counts.set(char, (counts.get(char) ?? 0) + 1);
    else if (typeof next === "object" && next !== null)
      for (const [name, member] of Object.entries(next)) rest.push(name, member);
  }
  return counts;
}
