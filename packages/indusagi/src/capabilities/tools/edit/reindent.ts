/** Moves a replacement from the wanted text's indentation to that of the place where it was found. */
export function reindent(replacement: string, found: string, wanted: string): string {
  const from = firstIndent(wanted);
  const to = firstIndent(found);
  if (from === to) return replacement;
  return replacement.replace(/^[^\r\n]+/gm, (line) => {
    if (line.trim() === "") return line;
    return line.startsWith(from) ? to + line.slice(from.length) : line;
  });
}

function firstIndent(text: string): string {
  const line = text.split(/\r\n|\n|\r/).find((candidate) => candidate.trim() !== "") ?? "";
  return /^\s*/.exec(line)?.[0] ?? "";
}
