/**
 * Other spellings of a path that people and models mix up with it: a mention's leading `@`, the two Unicode forms
 * of an accented letter, the narrow space and the curly apostrophe that macOS puts into screenshot names.
 */
export function pathVariants(path: string): string[] {
  const variants = [
    path.startsWith("@") ? path.slice(1) : path,
    path.normalize("NFC"),
    path.normalize("NFD"),
    path.replace(/ (AM|PM)\b/g, "\u202f$1"),
    path.replaceAll("\u202f", " "),
    path.replaceAll("'", "\u2019"),
    path.replaceAll("\u2019", "'"),
  ];
  return [...new Set(variants)].filter((variant) => variant !== path && variant !== "");
}
