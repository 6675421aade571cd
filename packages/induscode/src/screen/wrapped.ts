/** Wraps a text. A word is broken only if it is longer than a line. */
export function wrapText(text: string, maxChars: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").flatMap((each) => pieces(each, maxChars))) {
    if (line !== "" && line.length + 1 + word.length > maxChars) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** A text after a label. Continuation lines align with the first. */
export function labelled(label: string, text: string, width: number = Number.POSITIVE_INFINITY): string {
  const [first = "", ...more] = wrapText(text, Math.max(MIN_CHARS, width - label.length));
  return [`${label}${first}`, ...more.map((line) => `${" ".repeat(label.length)}${line}`)]
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}

const MESSAGE = /^(indus: )(.*)\n$/;

/** A message of ours, which is one line, wrapped between words. Any other text is returned as it is. */
export function wrapMessage(text: string, width: number | undefined): string {
  const [, label = "", message] = MESSAGE.exec(text) ?? [];
  return message === undefined || width === undefined ? text : labelled(label, message, width);
}

/** Narrower text would be harder to read than a line wrapped by the terminal. */
const MIN_CHARS = 20;

function pieces(word: string, maxChars: number): string[] {
  if (word.length <= maxChars) return [word];
  return Array.from({ length: Math.ceil(word.length / maxChars) }, (_, at) =>
    word.slice(at * maxChars, (at + 1) * maxChars),
  );
}
