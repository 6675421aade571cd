const MAX_NAMES = 3;

/**
 * The names most similar to one that does not exist, at most three, the most similar first. Case and punctuation do not
 * count. A name is similar if at most a third of its characters differ, or if one name contains the other.
 */
export async function closestNames(wanted: string, names: readonly string[]): Promise<string[]> {
  const { distance } = await import("fastest-levenshtein");
  const target = plain(wanted);
  const allowed = target.length < 4 ? 1 : Math.max(2, Math.floor(target.length / 3));
  const edits = (name: string): number => {
    if (name === target) return 0;
    return containEachOther(target, name) ? 1 : distance(target, name);
  };
  return names
    .map((name) => ({ name, edits: edits(plain(name)) }))
    .filter((candidate) => candidate.edits <= allowed)
    .sort((a, b) => a.edits - b.edits || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_NAMES)
    .map(({ name }) => name);
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

function containEachOther(a: string, b: string): boolean {
  return a.length > 2 && b.length > 2 && (a.includes(b) || b.includes(a));
}
