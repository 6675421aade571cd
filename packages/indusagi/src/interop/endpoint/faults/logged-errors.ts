import { isGeneric, settingsIn } from "./remedy-lines.ts";

const ERROR_LEVEL = /^(error|err|fatal|critical|panic|alert|emerg(ency)?|50|60)$/i;
const MAX_CHARS = 65_536;

/**
 * Reads a line that is JSON, or text with JSON at its end. The message of the error itself is more precise than that of
 * the log, which is often `Uncaught exception`. Undefined for other lines and for logs of a lower level.
 */
export function loggedError(line: string): string | undefined {
  const start = line.indexOf("{");
  if (start === -1 || !line.endsWith("}") || line.length > MAX_CHARS) return undefined;
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
export function asLoggedError(message: string): string {
  return JSON.stringify({ level: "error", msg: message });
}

function sentence(value: unknown): string[] {
  const text = typeof value === "string" ? value.replace(/\s+/g, " ").trim() : "";
  return text === "" ? [] : [text];
}
