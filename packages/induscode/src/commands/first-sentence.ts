const MAX_CHARS = 100;

/** The first sentence of a description, short enough for a row of a table. */
export function firstSentence(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  const sentence = /^.*?[.:](?=\s|$)/.exec(line)?.[0].replace(/[.:]$/, "") ?? line;
  return sentence.length > MAX_CHARS ? `${sentence.slice(0, MAX_CHARS - 1)}…` : sentence;
}
