import { resolve } from "node:path";
import { readerOf } from "./readers.ts";
import { readShellWords, type ShellPart, type ShellWord } from "./shell-words.ts";

/** Where a command line runs. */
export interface CommandPlace {
  /** The folder of the session. Git's configuration in other folders may name programs, so git runs only here. */
  readonly session: string;
  /** The folder that the command starts in. */
  readonly cwd: string;
}

const HERE: CommandPlace = { session: "/", cwd: "/" };
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[.*\])?\+?=/;

/**
 * Why a command line may do more than read, or `undefined` if every word of it is known to only read. It may join simple
 * commands with `;`, `&&`, `||`, `|` and line ends. Everything that this function does not know is a problem.
 */
export function readerProblem(command: string, place: CommandPlace = HERE): string | undefined {
  const { parts, problem } = readShellWords(command);
  if (problem !== undefined) return `it has ${problem}`;
  let cwd: string | undefined = resolve(place.cwd);
  for (const part of parts) {
    const found = partProblem(part, cwd === resolve(place.session));
    if (found !== undefined) return found;
    cwd = folderAfter(part, cwd);
  }
  return undefined;
}

function partProblem({ words, redirects }: ShellPart, isAtHome: boolean): string | undefined {
  const [name, ...rest] = words;
  if (redirects.length > 0 || !name) return "it has a redirection";
  const odd = words.map(wordProblem).find((found) => found !== undefined);
  if (odd !== undefined) return odd;
  if (name.globAt !== undefined) return "the name of a command is a glob";
  if (ASSIGNMENT.test(name.text)) return "it has an assignment";
  const check = readerOf(name.text);
  if (!check) return `${JSON.stringify(name.text)} is not on the list of commands that only read`;
  if (name.text === "git" && !isAtHome)
    return "git in another folder may run programs that this folder names; use paths from the session's folder instead";
  const found = check(rest);
  return found === undefined ? undefined : `${name.text}: ${found}`;
}

function wordProblem({ text, expands, globAt }: ShellWord): string | undefined {
  if (expands) return `${JSON.stringify(text)} has a variable or a brace expression`;
  if (globAt === undefined || (globAt > 0 && !text.startsWith("-"))) return undefined;
  return `${JSON.stringify(text)} could expand to an option; write ./ before it, or quote it`;
}

/** The folder after a `cd`; `undefined` if it is not certain. */
function folderAfter({ words }: ShellPart, cwd: string | undefined): string | undefined {
  if (words[0]?.text !== "cd") return cwd;
  const target = words.length === 2 ? words[1] : undefined;
  const isCertain = target && target.globAt === undefined && /^[^~-]/.test(target.text);
  return isCertain && cwd !== undefined ? resolve(cwd, target.text) : undefined;
}
