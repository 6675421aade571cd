import type { ByteText, LineExpression } from "./search-job.ts";

/** Hears of each matching line, in order. Answers whether to go on. */
export type OnLine = (line: number, text: ByteText) => boolean;

/** Tells the matching lines of a file. */
export type LineMatcher = (bytes: Buffer, onLine: OnLine) => void;

/**
 * Makes the matcher for an expression. The whole text is searched first, because that is many times faster than line by
 * line, and only the line a match is in is then tried alone.
 * Part of the worker's text: it must not use anything from outside its own braces.
 */
export function lineMatcher(expression: LineExpression, lineBytes: number): LineMatcher {
  const LINE_FEED = 10;
  const needle = expression.literal === undefined ? undefined : Buffer.from(expression.literal, "latin1");
  const inText = new RegExp(expression.source, `${expression.flags}g`);
  const inLine = new RegExp(expression.source, expression.flags);

  /** A place in the bytes that moves from line to line. */
  interface Cursor {
    line: number;
    start: number;
    end: number;
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
    const hasReturn = at.end > at.start && bytes[at.end - 1] === 13;
    return bytes.latin1Slice(at.start, Math.min(at.end - (hasReturn ? 1 : 0), at.start + lineBytes));
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
    const text = bytes.utf8Slice();
    inText.lastIndex = 0;
    let found = inText.exec(text);
    if (!found) return;
    const at = firstLine(bytes);
    // The same line in the decoded text, whose characters are not the bytes.
    let start = 0;
    let end = textLineEnd(text, 0);
    while (found && found.index < text.length) {
      for (; end < found.index; end = textLineEnd(text, start)) {
        start = end + 1;
        nextLine(bytes, at);
      }
      // A match that needs more than its line: the expression runs on over line ends, and the quick way leads nowhere.
      if (!inLine.test(text.slice(start, end))) return matchEachLine(bytes, at, onLine);
      if (!onLine(at.line, lineText(bytes, at))) return;
      nextLine(bytes, at);
      start = end + 1;
      end = textLineEnd(text, start);
      inText.lastIndex = start;
      found = start < text.length ? inText.exec(text) : null;
    }
  }

  function textLineEnd(text: string, start: number): number {
    const end = text.indexOf("\n", start);
    return end === -1 ? text.length : end;
  }

  function matchEachLine(bytes: Buffer, at: Cursor, onLine: OnLine): void {
    for (; at.start < bytes.length; nextLine(bytes, at)) {
      if (!inLine.test(bytes.utf8Slice(at.start, at.end))) continue;
      if (!onLine(at.line, lineText(bytes, at))) return;
    }
  }

  return (file, onLine) => {
    const hasMark = file[0] === 0xef && file[1] === 0xbb && file[2] === 0xbf;
    const bytes = hasMark ? file.subarray(3) : file;
    if (needle) matchLiteral(bytes, needle, onLine);
    else if (expression.lineByLine) matchEachLine(bytes, firstLine(bytes), onLine);
    else matchExpression(bytes, onLine);
  };
}
