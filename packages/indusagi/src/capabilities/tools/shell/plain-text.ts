/**
 * Text from a program without what was meant for a terminal: escape sequences and control characters are taken out,
 * tabs and line ends stay. What comes out is unchanged by a second time.
 */
export function plainText(text: string): string {
  return FOR_TERMINALS.test(text) ? text.replace(FOR_TERMINALS_ALL, "") : text;
}

const SEQUENCES = [
  // Colours, cursor movements and the like.
  String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]`,
  // Titles, links, device strings: up to their end, or the end of the line where the end is missing.
  String.raw`(?:\x1b[\]P^_X]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?`,
  // Two-character escapes.
  String.raw`\x1b[ -/]*[0-~]`,
  // Whatever is left of them, and all other controls: no escape may come about by taking out another.
  String.raw`[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]`,
].join("|");

const FOR_TERMINALS = new RegExp(SEQUENCES);
const FOR_TERMINALS_ALL = new RegExp(SEQUENCES, "g");
