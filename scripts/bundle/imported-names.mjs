// `const { a, b: c } = await import("x")`, `import("x").then(({ a }) => …)` and `(await import("x")).default`.
// A formatter may put the name of the module on a line of its own.
const TAKEN_APART =
  /\{([\w\s,:]*)\}\s*=\s*await import\(\s*"([^"]+)"\s*\)|import\(\s*"([^"]+)"\s*\)\.then\(\s*\(\{([\w\s,:]*)\}\)|\(await import\(\s*"([^"]+)"\s*\)\)\.(default)\b/g;
const ANY = /\bimport\(\s*"([^"]+)"\s*\)/g;

/**
 * The names that a text takes from the modules it imports dynamically: pairs of a module and its names. The names are
 * missing if the module is not taken apart where it is imported.
 */
export function importedNames(code) {
  const byPlace = new Map(
    [...code.matchAll(TAKEN_APART)].map((match) => [match.index + match[0].indexOf("import("), match]),
  );
  return [...code.matchAll(ANY)].map(({ 1: module, index }) => {
    const [, before, , , after, whole] = byPlace.get(index)?.toSpliced(5, 1) ?? [];
    const members = before ?? after ?? whole;
    return [
      module,
      members
        ?.split(",")
        .map((member) => member.split(":")[0].trim())
        .filter(Boolean),
    ];
  });
}
