// For the rooms of this package only.
export { readShellWords } from "./commands/shell-words.ts";
