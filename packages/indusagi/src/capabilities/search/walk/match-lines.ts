import type { LinearProgram } from "../../../core/internal.ts";
import type { ByteText, Expression, LineExpression } from "../search-job.ts";
import type { spellBytes } from "./byte-text.ts";
import type { MatchMarks } from "./match-meter.ts";

/** Called for each matching line, in order. Returns whether to continue. */
type OnLine = (line: number, text: ByteText) => boolean;

/** Reports the matching lines of a file. */
export type LineMatcher = (bytes: Buffer, onLine: OnLine) => void;

export interface MatcherParts {
  readonly spellBytes: typeof spellBytes;
  readonly linearTest: typeof linearTest;
  readonly load: (file: string) => unknown;
  readonly marks: MatchMarks;
}

/**
 * Makes the matcher for an expression. It searches the whole text, which is many times faster than line by line, and
 * then tests only the line of each match.
 * Part of the worker's text: it must not use anything from outside its own braces.
 */
export function lineMatcher(
  expression: LineExpression,
  lineBytes: number,
  { spellBytes: spell, linearTest: linearTestOf, load, marks }: MatcherParts,
): LineMatcher {
  const LINE_FEED = 10;
  const needle = expression.requires === undefined ? undefined : Buffer.from(expression.requires, "latin1");
  const { linear } = expression;
  const isLinearMatch = linear && linearTestOf(load, linear.program);
  const expressions = { any: compiled(expression.any), ascii: compiled(expression.ascii) };

  /** The current line in the bytes. */
  interface Cursor {
    line: number;
    start: number;
    end: number;
  }

  interface Compiled {
    readonly inText: RegExp;
    readonly inLine: RegExp;
    /** Matches only where its `lastIndex` is. */
    readonly inPlace: RegExp;
  }

  function compiled({ source, flags }: Expression): Compiled {
    return {
      inText: new RegExp(source, `${flags}g`),
      inLine: new RegExp(source, flags),
      inPlace: new RegExp(source, `${flags}y`),
    };
  }

  function firstLine(bytes: Buffer): Cursor {
    return { line: 1, start: 0, end: lineEnd(bytes, 0) };
  }

  function nextLine(bytes: Buffer, at: Cursor): void {
    at.line++;
    at.start = at.end + 1;
    at.end = lineEnd(bytes, at.start);
  }

  function lineEnd(bytes: Buffer, start: number): number {
    const end = bytes.indexOf(LINE_FEED, start);
    return end === -1 ? bytes.length : end;
  }

  function lineText(bytes: Buffer, at: Cursor): ByteText {
    // A carriage return at the end of the file, without a line feed, is not a line ending.
    const hasReturn = at.end > at.start && at.end < bytes.length && bytes[at.end - 1] === 13;
    return bytes.toString("latin1", at.start, Math.min(at.end - (hasReturn ? 1 : 0), at.start + lineBytes));
  }

  function matchLiteral(bytes: Buffer, literal: Buffer, onLine: OnLine): void {
    let found = bytes.indexOf(literal);
    if (found === -1) return;
    const at = firstLine(bytes);
    for (; found !== -1; found = bytes.indexOf(literal, at.start)) {
      while (at.end < found) nextLine(bytes, at);
      if (!onLine(at.line, lineText(bytes, at))) return;
      nextLine(bytes, at);
      if (at.start >= bytes.length) return;
    }
  }

  function matchExpression(bytes: Buffer, onLine: OnLine): void {
    const { text, script } = decoded(bytes);
    const { inText, inLine } = expressions[script];
    inText.lastIndex = 0;
    let found = inText.exec(text);
    if (!found) return;
    const at = firstLine(bytes);
    // The same line in the decoded text, where indexes are not byte offsets.
    let start = 0;
    let end = textLineEnd(text, 0);
    while (found) {
      for (; end < found.index; end = textLineEnd(text, start)) {
        start = end + 1;
        nextLine(bytes, at);
      }
      // There is no line after the last line feed.
      if (start >= text.length) return;
      // The match spans lines, so searching the whole text does not work for this expression.
      if (!inLine.test(text.slice(start, end))) return matchEachLine(bytes, at, onLine);
      if (!onLine(at.line, lineText(bytes, at))) return;
      nextLine(bytes, at);
      start = end + 1;
      end = textLineEnd(text, start);
      inText.lastIndex = start;
      found = inText.exec(text);
    }
  }

  function textLineEnd(text: string, start: number): number {
    const end = text.indexOf("\n", start);
    return end === -1 ? text.length : end;
  }

  function matchEachLine(bytes: Buffer, at: Cursor, onLine: OnLine): void {
    for (; at.start < bytes.length; nextLine(bytes, at)) {
      const { text, script } = decoded(bytes.subarray(at.start, at.end));
      if (!matchesLine(text, script)) continue;
      if (!onLine(at.line, lineText(bytes, at))) return;
    }
  }

  function matchesLine(text: string, script: keyof typeof expressions): boolean {
    if (isLinearMatch && (script === "ascii" || !linear?.onlyAscii))
      return text.replace(/\r$/, "").split("\r").some(isLinearMatch) || matchesAfterReturn(text, script);
    marks.begin();
    const isMatch = expressions[script].inLine.test(text);
    marks.end(text.length);
    return isMatch;
  }

  /** An empty match may be between a carriage return and its line feed. The rest of the line is empty, so the search is quick. */
  function matchesAfterReturn(text: string, script: keyof typeof expressions): boolean {
    if (!text.endsWith("\r")) return false;
    const { inPlace } = expressions[script];
    inPlace.lastIndex = text.length;
    return inPlace.test(text);
  }

  /** An invalid byte becomes a lone surrogate, which no pattern matches. */
  function decoded(bytes: Buffer): { readonly text: string; readonly script: keyof typeof expressions } {
    const text = bytes.toString();
    if (!text.includes("\ufffd")) return { text, script: text.length === bytes.length ? "ascii" : "any" };
    const spelled = spell(bytes.toString("latin1"), (stray) => String.fromCharCode(0xdc00 + stray));
    return { text: spelled, script: "any" };
  }

  return (file, onLine) => {
    const hasMark = file[0] === 0xef && file[1] === 0xbb && file[2] === 0xbf;
    const bytes = hasMark ? file.subarray(3) : file;
    if (needle && expression.isLiteral) matchLiteral(bytes, needle, onLine);
    else if (needle && !bytes.includes(needle)) return;
    else if (expression.lineByLine || linear) matchEachLine(bytes, firstLine(bytes), onLine);
    else {
      marks.begin();
      matchExpression(bytes, onLine);
      marks.end(bytes.length);
    }
  };
}

interface Engine {
  readonly RE2JS: {
    readonly CASE_INSENSITIVE: number;
    compile(syntax: string, flags: number): { test(text: string): boolean };
  };
}

/**
 * Makes the test of a program for the linear engine.
 * Part of the worker's text: it must not use anything from outside its own braces.
 */
export function linearTest(
  load: (file: string) => unknown,
  { engine, syntax, ignoresCase }: LinearProgram,
): (text: string) => boolean {
  const { RE2JS } = load(engine) as Engine;
  const compiled = RE2JS.compile(syntax, ignoresCase ? RE2JS.CASE_INSENSITIVE : 0);
  return (text) => compiled.test(text);
}
