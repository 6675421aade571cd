const MAX_SUGGESTIONS = 3;

/** `did you mean a or b?` for an unknown name, or `otherwise` when no known name is similar. */
export function suggestion(name: string, known: readonly string[], otherwise: string): string {
  const near = nearNames(name, known);
  return near.length > 0 ? `did you mean ${near.join(" or ")}?` : otherwise;
}

/** The message for an unknown tool. `lister`: the command that lists the tools. */
export function unknownToolMessage(name: string, known: readonly string[], lister: string): string {
  const hint = suggestion(name, known, `${lister} lists the tools`);
  return `there is no tool named ${JSON.stringify(name)}; ${hint}`;
}

/** The names most similar to an unknown one, the most similar first; empty when none is similar. */
export function nearNames(wanted: string, names: readonly string[]): readonly string[] {
  const word = plain(wanted);
  return names
    .map((name) => ({ name, far: farness(word, plain(name)) }))
    .filter(({ far }) => far <= Math.max(2, word.length / 3))
    .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => name);
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** A name without its server, or a part of a name, is similar whatever its edit distance. */
function farness(a: string, b: string): number {
  return a.length > 2 && (b.includes(a) || a.includes(b)) ? 1 : distance(a, b);
}

/** The edit distance: inserted, deleted and replaced characters. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const above = row;
    row = [i];
    for (let j = 1; j <= b.length; j++) {
      const swapped = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(swapped, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
  }
  return row[b.length] ?? 0;
}
