const MOST = 3;

/** The names most like one that does not exist, the likest first; none when nothing comes near. */
export function nearNames(wanted: string, names: readonly string[]): readonly string[] {
  const word = plain(wanted);
  return names
    .map((name) => ({ name, far: farness(word, plain(name)) }))
    .filter(({ far }) => far <= Math.max(2, word.length / 3))
    .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, MOST)
    .map(({ name }) => name);
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** One that lacks its server, or a part of its name, is near whatever the distance. */
function farness(a: string, b: string): number {
  return a.length > 2 && (b.includes(a) || a.includes(b)) ? 1 : distance(a, b);
}

/** How many letters must be put in, left out or exchanged. */
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
