import { cutText, plainText } from "../../../core/index.ts";
import { isGeneric, isRemedy, settingsIn } from "./remedy-lines.ts";

/** How likely a line is to say why a program failed. A generic line, such as `Fatal error`, says only that it did. */
export const RANK = { warning: 1, plain: 2, usage: 3, generic: 4, phrase: 5, error: 6 } as const;

/** One line of standard error that may be worth showing. */
export interface StderrLine {
  /** Without indentation, colours and box frames. */
  readonly text: string;
  readonly rank: number;
  /** Printed by npm, whose messages have many lines, the first being the most useful. */
  readonly isNpm: boolean;
}

/** The lines that may be worth showing, in order, without stack frames, quoted source and the like. */
export function informativeLines(stderr: string): StderrLine[] {
  const lines = foldIssues(plainText(stderr).split("\n").map(unframed));
  const skipped = new Set([...quotedSource(lines), ...printedMembers(lines)]);
  const inTraceback = tracebacks(lines);
  let isUsage = false;
  let isListed = false;
  return lines.flatMap((line, index) => {
    const written = line.trim();
    if (written === "" || skipped.has(index) || inTraceback.get(index) === "frame" || isNoise(written))
      return [];
    const isNpm = NPM.test(written);
    if (isNpm && isNpmDetail(written.replace(NPM, "").trim())) return [];
    const logged = loggedError(written);
    const text = logged ?? printedMessage(written) ?? written;
    isUsage = USAGE.test(text) || (isUsage && (indentOf(line) > 0 || USAGE_PART.test(text)));
    const isError = logged !== undefined || inTraceback.get(index) === "reason";
    const ranked = isError && !isGeneric(text) ? RANK.error : rankOf(text, line, isUsage);
    // Items explain the line above them, which ends with a colon.
    isListed = isListed && LIST_ITEM.test(text);
    const rank = isListed ? Math.min(ranked, RANK.plain) : ranked;
    isListed ||= text.endsWith(":") && rank >= RANK.phrase;
    return [{ text, rank, isNpm }];
  });
}

/** An item of a list below a line that ends with a colon: with a mark, or the name of a variable. */
export const LIST_ITEM: RegExp = /^(?:[-*•◦·✗✘❌]|\d{1,2}[.)])\s+|^[A-Z][A-Z0-9]*_[A-Z0-9_]+(?![\w.])/;

/** The message in an error that was printed as JSON over several lines. */
function printedMessage(text: string): string | undefined {
  const [, quoted] = /^"(?:message|msg|error|detail)":\s*("(?:[^"\\]|\\.)*"),?$/.exec(text) ?? [];
  if (quoted === undefined) return undefined;
  try {
    return (JSON.parse(quoted) as string).replace(/\s+/g, " ").trim() || undefined;
  } catch {
    return undefined; // Quoted in another way.
  }
}

/** The rest of a line is ignored, to limit the time spent in patterns. */
const MAX_CHARS = 1000;

/** The text of a line without progress bars and the frames of boxes and Python exception groups. */
function unframed(line: string): string {
  // Read before the cut: the stack in a log of an error is long.
  const logged = loggedError(line.trim());
  if (logged !== undefined) return asLoggedError(cutText(logged, MAX_CHARS));
  const last = cutText(line.trimEnd().split("\r").at(-1) ?? "", MAX_CHARS);
  return last.replace(/^\s*[│┃|]\s?/, "").replace(/\s*[│┃]$/, "");
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

const NPM = /^npm (error|ERR!) ?/;
const USAGE = /^usage\b/i;
/** Parts of a usage text that are not indented. */
const USAGE_PART =
  /^(-{1,2}[a-z]|(global |available |required |optional )?(options|flags|arguments|commands|positionals?( arguments)?|subcommands|parameters|examples?|environment( variables)?)\b.{0,20}:)/i;

/** Lines that never say why. */
const NOISE: readonly RegExp[] = [
  /^Node\.js v\d/,
  /^[\^~\s]+$/,
  /^[()[\]{},;]+$/,
  /^[─━═╭╮╰╯+\-=*_.\s\d]*$/,
  /^[─━═╭╮╰╯]+.*[─━═╭╮╰╯]$/,
  // Stack frames of JavaScript, Java, Rust and Go.
  /^at (async )?\S.*(:\d+|\)|<anonymous>)( \{)?$/,
  /^\.\.\. \d+ (more|lines matching)/,
  /^\d+: +\S+::/,
  /^stack backtrace:$/,
  /^note: /,
  /^goroutine \d+ \[/,
  /^\[signal /,
  /^exit status \d+$/,
  /^[\w/*-]+\.[\w./*()-]*\(.*\)$/,
  /^\/\S+\.go:\d+/,
  // Advice printed after every failure.
  /A complete log of this run can be found in/,
  /^(Run|See|Try) '.*(--help|-h)'/,
  /^For (further|more) information/i,
  /^\(Use `node --trace/,
  /^(The above exception was|During handling of the above)/,
  /^Emitted 'error' event on/,
  /^npm (warn|WARN|notice)/,
];

function isNoise(text: string): boolean {
  return NOISE.some((pattern) => pattern.test(text));
}

/** npm lines that only say where it failed, or that follow every failed script. */
const NPM_DETAIL =
  /^(\w+|(code|syscall|errno|path|dest|command|workspace|location|cwd|signal)\b.*|Lifecycle script .*|\w+: ('.*'|-?\d+),?)$/;

function isNpmDetail(text: string): boolean {
  return text === "" || isNoise(text) || NPM_DETAIL.test(text);
}

/** Node quotes the source line that threw: a location, some lines, and a line of carets. */
function quotedSource(lines: readonly string[]): number[] {
  return lines.flatMap((line, index) => {
    if (!/^(file:|node:|\/|[A-Za-z]:\\)\S*:\d+$/.test(line)) return [];
    const carets = lines.slice(index + 1, index + 6).findIndex((next) => /^\s*\^+\s*$/.test(next));
    return Array.from({ length: carets + 2 }, (_, offset) => index + offset);
  });
}

/** Node prints the members of an error in braces after its stack. Only the causes are worth showing. */
function printedMembers(lines: readonly string[]): number[] {
  let isInside = false;
  return lines.flatMap((line, index) => {
    const wasInside = isInside;
    if (/^\s+at .* \{$/.test(line)) isInside = true;
    else if (line.startsWith("}")) isInside = false;
    return wasInside && !/^ {2}\[cause\]: /.test(line) ? [index] : [];
  });
}

/** Python indents stack frames; the first line that is not indented is the reason. */
function tracebacks(lines: readonly string[]): ReadonlyMap<number, "frame" | "reason"> {
  const found = new Map<number, "frame" | "reason">();
  let base: number | undefined;
  for (const [index, line] of lines.entries()) {
    if (line.endsWith("Traceback (most recent call last):")) {
      base = /^\s*\+ /.test(line) ? 0 : indentOf(line);
      found.set(index, "frame");
    } else if (base !== undefined && line.trim() !== "") {
      const isFrame = indentOf(line) > base;
      found.set(index, isFrame ? "frame" : "reason");
      if (!isFrame) base = undefined;
    }
  }
  return found;
}

/** The name of an error class, such as `TypeError` or `java.io.IOException`, with common prefixes. */
const ERROR_CLASS =
  /^(Uncaught |Unhandled exception\. |Exception in thread "[^"]*" )?([\w$]+\.)*[A-Z][\w$]*(Error|Exception|Rejection|Failure|Fault)\b( \[\w+\])?(:|$)/;
const ERROR =
  /^(panic|docker|fatal|critical)\b.*:|panicked at|\b(ERROR|FATAL|CRITICAL|PANIC)\b|\berror\b[^:]{0,20}: |^(fatal|error)\b[:\]! ]|\[(error|fatal)\]|"level":\s*"?(error|fatal|50|60)\b|^[×✖✗] |\(\w+(Error|Exception)\)$|^Unhandled |: (command )?not found$/i;
const PHRASE =
  /\b(missing|required?|must (be|provide|set|have|specify)|(not|n't|nor) (set|found|defined|provided|configured|supported|installed|exist|available)|does not exist|can ?not|can't|could not|couldn't|unable to|failed|failure|invalid|denied|unauthori[sz]ed|refused|no such|no module|unknown|undefined|abort(ed)?|timed out|out of memory|please (set|provide|specify))\b/i;
const WARNING = /^(\S{1,40} ){0,2}\W{0,10}warn(ing)?\b|^\(node:\d+\)|"level":\s*"?(warn|40)/i;
/** Routine log messages, one that docker prints before it pulls an image, and members of JSON such as `"type": "Error"`. */
const ORDINARY =
  /\b(INFO|DEBUG|TRACE)\b|"level":\s*"?(info|debug|trace|[123]0)\b|\[(info|debug|trace)\]|^Unable to find image .* locally$|^"[\w$.-]+":\s/;

function rankOf(text: string, line: string, isUsage: boolean): number {
  if (WARNING.test(text)) return RANK.warning;
  if (ORDINARY.test(text)) return RANK.plain;
  // Descriptions of options mention errors and what is required without being about this failure.
  if (isUsage) return USAGE.test(text) ? RANK.usage : RANK.plain;
  if (isGeneric(text) && !text.endsWith(":")) return RANK.generic;
  const isError = ERROR_CLASS.test(text) ? indentOf(line) < 2 || NPM.test(text) : ERROR.test(text);
  if (isError || NPM.test(text)) return RANK.error;
  return PHRASE.test(text) || isRemedy(text) ? RANK.phrase : RANK.plain;
}

/** Schema libraries print issues as JSON over many lines: `ZodError: [`, the issues, `]`. */
const ISSUES_HEAD = /^(\S*(?:Error|Exception)[^:]*: )\[$/;
const MAX_ISSUE_LINES = 500;

/** Folds such a list into one line: `ZodError: API_KEY: expected string`. */
function foldIssues(lines: readonly string[]): string[] {
  const folded: string[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const head = ISSUES_HEAD.exec(line)?.[1];
    const length = head === undefined ? -1 : lines.slice(index + 1, index + MAX_ISSUE_LINES).indexOf("]");
    const summary = length === -1 ? undefined : summaryOf(lines.slice(index + 1, index + 1 + length));
    folded.push(summary === undefined ? line : `${head}${summary}`);
    if (summary !== undefined) index += length + 1;
  }
  return folded;
}

function summaryOf(lines: readonly string[]): string | undefined {
  try {
    const issues = JSON.parse(`[${lines.join("\n")}]`) as readonly {
      readonly path?: readonly unknown[];
      readonly message?: unknown;
    }[];
    return issues.map(({ path = [], message }) => `${path.join(".")}: ${String(message)}`).join("; ");
  } catch {
    return undefined; // Not JSON: show the lines unchanged.
  }
}

const ERROR_LEVEL = /^(error|err|fatal|critical|panic|alert|emerg(ency)?|50|60)$/i;
const MAX_ERROR_CHARS = 65_536;

/**
 * Reads a line that is JSON, or text with JSON at its end. The message of the error itself is more precise than that of
 * the log, which is often `Uncaught exception`. Undefined for other lines and for logs of a lower level.
 */
function loggedError(line: string): string | undefined {
  const start = line.indexOf("{");
  if (start === -1 || !line.endsWith("}") || line.length > MAX_ERROR_CHARS) return undefined;
  const log = objectIn(line.slice(start));
  if (!log) return undefined;
  const before = line.slice(0, start).trim();
  const own = textsIn(log, ["err", "error", "exception", "reason", "cause"]);
  // Text before the JSON is the message of the log; it stays unless it says nothing.
  if (before !== "") {
    if (own.length === 0 || !isGeneric(before)) return undefined;
    return bestOf(own);
  }
  const found = log["level"] ?? log["severity"] ?? log["levelname"];
  const level = typeof found === "string" || typeof found === "number" ? String(found) : "";
  const isError = ERROR_LEVEL.test(level) || (level === "" && own.length > 0);
  const all = [...own, ...["msg", "message", "event"].flatMap((name) => sentence(log[name]))];
  return isError && all.length > 0 ? bestOf(all) : undefined;
}

/** A message that names what to set is better than one that does not, and any better than `Fatal error`. */
function bestOf(texts: readonly string[]): string {
  return (
    texts.find((text) => settingsIn(text).length > 0) ??
    texts.find((text) => !isGeneric(text)) ??
    texts[0] ??
    ""
  );
}

type Members = { readonly [name: string]: unknown };

function objectIn(json: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? (value as Members) : undefined;
  } catch {
    return undefined; // Text with braces.
  }
}

/** The messages of an error and of its cause, or the error itself if it is a text. */
function textsIn(log: Members, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const error = log[name];
    if (typeof error !== "object" || error === null) return sentence(error);
    const { message, cause } = error as { readonly message?: unknown; readonly cause?: unknown };
    const inner = typeof cause === "object" && cause !== null ? (cause as Members)["message"] : cause;
    return [...sentence(message), ...sentence(inner)];
  });
}

/** A short form of such a line. */
function asLoggedError(message: string): string {
  return JSON.stringify({ level: "error", msg: message });
}

function sentence(value: unknown): string[] {
  const text = typeof value === "string" ? value.replace(/\s+/g, " ").trim() : "";
  return text === "" ? [] : [text];
}
