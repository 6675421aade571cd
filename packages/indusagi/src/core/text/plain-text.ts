/**
 * Removes escape sequences and control characters from a program's output; tabs and line ends stay. Applying it to its
 * own result changes nothing.
 */
export function plainText(text: string): string {
  return FOR_TERMINALS.test(text) ? text.replace(FOR_TERMINALS_ALL, "") : text;
}

const SEQUENCES = [
  // Colours, cursor movements and the like.
  String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]`,
  // Titles, links, device strings: up to their terminator, or the end of the line if that is missing.
  String.raw`(?:\x1b[\]P^_X]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?`,
  // Two-character escapes.
  String.raw`\x1b[ -/]*[0-~]`,
  // All other control characters, so removing one sequence cannot form another.
  String.raw`[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]`,
].join("|");

const FOR_TERMINALS = new RegExp(SEQUENCES);
const FOR_TERMINALS_ALL = new RegExp(SEQUENCES, "g");
