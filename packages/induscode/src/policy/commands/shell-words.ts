/** One word of a command line, with its quotes removed. */
export interface ShellWord {
  readonly text: string;
  /** Has an unquoted variable or brace expression, or a variable in double quotes: the text is not final. */
  readonly expands?: true | undefined;
  /** The index of the first unquoted `*`, `?` or `[`. */
  readonly globAt?: number | undefined;
  /** Starts with an unquoted `~`. */
  readonly isTilde?: true | undefined;
}

/** How a command is joined to the one before it. A line end counts as `;`. */
type ShellJoint = "" | ";" | "&&" | "||" | "|";

/** One simple command, between two separators. */
export interface ShellPart {
  readonly joint: ShellJoint;
  /** As written, without the blanks around it. */
  readonly text: string;
  readonly words: readonly ShellWord[];
  /** Operator and target, such as `>` and `out.txt`. */
  readonly redirects: readonly { readonly operator: string; readonly target: ShellWord }[];
}

/** A command line of a POSIX shell as simple commands joined by `;`, `&&`, `||`, `|` or line ends. */
export interface ShellReading {
  /** Complete only if there is no problem. */
  readonly parts: readonly ShellPart[];
  /** The first thing that this reader does not follow, for example "a command substitution". */
  readonly problem?: string | undefined;
}

/** Reads a command line. Anything beyond simple commands, quotes, variables, globs and redirections is a problem. */
export function readShellWords(text: string): ShellReading {
  // Cached, because one call is examined several times: for its paths, for each kind of rule, and for plan mode.
  if (last?.text !== text) last = { text, reading: new ShellReader(text).read() };
  return last.reading;
}

let last: { readonly text: string; readonly reading: ShellReading } | undefined;

const MAX_LENGTH = 20_000;
/** Except tabs and line feeds. */
export const CONTROL_CHARACTER: RegExp = /[\0-\x08\x0b-\x1f\x7f]/;
/** A run of characters without special meaning. */
const PLAIN = /[^ \t\n'"\\$`;&|<>()#*?[{}]+/y;
/** A variable after a dollar sign. */
const VARIABLE = /^(?:[A-Za-z_]\w*|[\d@*#?$!-])/;

interface OpenWord {
  text: string;
  expands: true | undefined;
  globAt: number | undefined;
  isTilde: true | undefined;
  /** Entirely unquoted: a number before `>` is then a file descriptor. */
  isBare: boolean;
}

class ShellReader {
  readonly #text: string;
  readonly #parts: ShellPart[] = [];
  #at = 0;
  #partStart = 0;
  #words: ShellWord[] = [];
  #redirects: { operator: string; target: ShellWord }[] = [];
  #word: OpenWord | undefined;
  /** A redirection whose target has not been read yet. */
  #redirect: string | undefined;
  #joint: ShellJoint = "";
  #problem: string | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  read(): ShellReading {
    if (this.#text.length > MAX_LENGTH) this.#problem = `more than ${MAX_LENGTH} characters`;
    else if (CONTROL_CHARACTER.test(this.#text)) this.#problem = "a control character";
    while (this.#at < this.#text.length && this.#problem === undefined) this.#step();
    if (this.#problem === undefined) this.#endPart("");
    if (this.#problem === undefined && this.#parts.length === 0) this.#problem = "no command";
    return { parts: this.#parts, problem: this.#problem };
  }

  #step(): void {
    PLAIN.lastIndex = this.#at;
    const plain = PLAIN.exec(this.#text)?.[0];
    if (plain !== undefined) return this.#plain(plain);
    const char = this.#text[this.#at] as string;
    if (char === " " || char === "\t") return this.#blank();
    if (char === "'") return this.#singleQuotes();
    if (char === '"') return this.#doubleQuotes();
    if (char === "\\") return this.#escape();
    if (char === "$") return this.#dollar(false);
    if (char === "<" || char === ">") return this.#startRedirect(char);
    if (char === ";" || char === "&" || char === "|" || char === "\n") return this.#separator(char);
    if (char === "`") return this.#fail("a command substitution");
    if (char === "(" || char === ")") return this.#fail("a group or function");
    if (char === "#" && !this.#word) return this.#fail("a comment");
    this.#special(char);
  }

  #fail(problem: string): void {
    this.#problem ??= problem;
  }

  #open(): OpenWord {
    this.#word ??= {
      text: "",
      expands: undefined,
      globAt: undefined,
      isTilde: this.#text[this.#at] === "~" || undefined,
      isBare: true,
    };
    return this.#word;
  }

  #plain(text: string): void {
    const word = this.#open();
    word.text += text;
    // In what looks like an assignment, such a tilde expands to a home folder.
    if (/[=:]~/.test(text)) word.expands = true;
    this.#at += text.length;
  }

  /** A glob character, a brace, or a `#` inside a word. */
  #special(char: string): void {
    const word = this.#open();
    if (char === "{" || char === "}") word.expands = true;
    else if (char !== "#") word.globAt ??= word.text.length;
    this.#plain(char);
  }

  #blank(): void {
    this.#endWord();
    this.#at += 1;
  }

  #singleQuotes(): void {
    const end = this.#text.indexOf("'", this.#at + 1);
    if (end < 0) return this.#fail("an unclosed quote");
    const word = this.#open();
    word.isBare = false;
    word.text += this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
  }

  #doubleQuotes(): void {
    const word = this.#open();
    word.isBare = false;
    this.#at += 1;
    while (this.#problem === undefined) {
      const char = this.#text[this.#at];
      if (char === undefined) return this.#fail("an unclosed quote");
      if (char === '"') break;
      if (char === "`") return this.#fail("a command substitution");
      if (char === "$") this.#dollar(true);
      else if (char === "\\") this.#escapeInQuotes(word);
      else this.#plain(char);
    }
    this.#at += 1;
  }

  #escape(): void {
    const next = this.#text[this.#at + 1];
    if (next === undefined || next === "\n") return this.#fail("a continued line");
    const word = this.#open();
    word.isBare = false;
    word.text += next;
    this.#at += 2;
  }

  #escapeInQuotes(word: OpenWord): void {
    const next = this.#text[this.#at + 1] ?? "";
    if (next === "\n") return this.#fail("a continued line");
    word.text += next !== "" && '$`"\\'.includes(next) ? next : `\\${next}`;
    this.#at += 2;
  }

  #dollar(isQuoted: boolean): void {
    const next = this.#text[this.#at + 1] ?? "";
    if (next === "(") return this.#fail("a command substitution");
    if (next === "{" || next === "[") return this.#fail("an expansion in brackets");
    if (!isQuoted && (next === "'" || next === '"')) return this.#fail("a quote after a dollar sign");
    const [variable] = VARIABLE.exec(this.#text.slice(this.#at + 1, this.#at + 200)) ?? [];
    const word = this.#open();
    if (variable !== undefined) word.expands = true;
    word.text += `$${variable ?? ""}`;
    this.#at += 1 + (variable?.length ?? 0);
  }

  #startRedirect(char: string): void {
    const operator =
      /^(?:<<|<>|<&|>>|>&|>\||[<>])/.exec(this.#text.slice(this.#at, this.#at + 2))?.[0] ?? char;
    const after = this.#text[this.#at + operator.length];
    if (operator === "<<") return this.#fail("a here-document");
    if (after === "(") return this.#fail("a process substitution");
    // In `2>`, the 2 is not a word but a file descriptor.
    if (this.#word?.isBare && /^\d+$/.test(this.#word.text)) this.#word = undefined;
    this.#beginTarget(operator);
  }

  #beginTarget(operator: string): void {
    this.#endWord();
    if (this.#redirect !== undefined) return this.#fail("a redirection without a target");
    this.#redirect = operator;
    this.#at += operator.length;
  }

  #separator(char: string): void {
    const two = this.#text.slice(this.#at, this.#at + 2);
    if (two === "&>") return this.#beginTarget(two);
    const isJoint = two === "&&" || two === "||" || (char === "|" && two !== "|&");
    if (!isJoint && (char === "&" || char === "|")) return this.#fail("a background command or “|&”");
    const separator = two === "&&" || two === "||" ? two : char;
    const isEmpty = this.#endPart(separator);
    if (!isEmpty) this.#joint = isJoint ? (separator as ShellJoint) : ";";
    this.#at += separator.length;
    this.#partStart = this.#at;
  }

  #endWord(): void {
    const word = this.#word;
    if (!word) return;
    const { text, expands, globAt, isTilde } = word;
    this.#word = undefined;
    const done: ShellWord = { text, expands, globAt, isTilde };
    if (this.#redirect === undefined) this.#words.push(done);
    else this.#redirects.push({ operator: this.#redirect, target: done });
    this.#redirect = undefined;
  }

  /** Returns true if there was no command. Only empty lines are allowed, even after a separator that needs a command. */
  #endPart(separator: string): boolean {
    this.#endWord();
    if (this.#redirect !== undefined) this.#fail("a redirection without a target");
    else if (this.#words.length + this.#redirects.length === 0) {
      const needsMore = this.#joint !== "" && this.#joint !== ";";
      if (separator !== "\n" && (separator !== "" || needsMore)) this.#fail("an empty command");
      return true;
    } else {
      const text = this.#text.slice(this.#partStart, this.#at).trim();
      this.#parts.push({ joint: this.#joint, text, words: this.#words, redirects: this.#redirects });
      this.#words = [];
      this.#redirects = [];
    }
    return false;
  }
}
