import { resolve } from "node:path";
import { describeError, isoTime } from "indusagi/core";
import { appendLines, openLineWriter } from "../../state/lines/index.ts";
import { showJsonLine } from "../index.ts";
import type { LoggedEvent, Terminal } from "./terminal.ts";

export interface LogTarget {
  readonly format: "text" | "json";
  /** Absent: standard error. */
  readonly file?: string;
}

/** A terminal whose `err` is a log. Closing it flushes the log. */
export interface LogTerminal extends AsyncDisposable {
  readonly terminal: Terminal;
}

/** A log keeps at most twice as much. */
const MAX_BYTES = 64 * 1024 * 1024;
const PREFIX = "indus: ";

/** Redirects a command's standard error to a log. Throws, with the reason, if the file cannot be written. */
export function openLogTerminal(terminal: Terminal, { format, file }: LogTarget): LogTerminal {
  const { write, close } = file === undefined ? toTerminal(terminal) : toFile(file, terminal);
  const log = (entry: LoggedEvent): void => write(showJsonLine({ at: isoTime(), ...entry }));
  const isJson = format === "json";
  const lines = eachLine((line) => {
    if (!isJson) write(`${isoTime()} ${line}\n`);
    else log({ level: "info", event: "message", message: withoutPrefix(line) });
  });
  const logged: Terminal = {
    out: (text) => terminal.out(text),
    err: isJson || file !== undefined ? lines : (text) => terminal.err(text),
    isKept: true,
    errLook: { hasColours: false },
    ...(isJson ? { log } : {}),
    get outIsScreen() {
      return terminal.outIsScreen ?? false;
    },
    get outLook() {
      return terminal.outLook ?? {};
    },
  };
  return { terminal: logged, [Symbol.asyncDispose]: close };
}

interface LogSink {
  readonly write: (line: string) => void;
  readonly close: () => Promise<void>;
}

function toTerminal(terminal: Terminal): LogSink {
  return { write: (line) => terminal.err(line), close: async () => {} };
}

function toFile(file: string, terminal: Terminal): LogSink {
  const path = resolve(file);
  const refused = (thrown: unknown): string =>
    `--log-file: ${file} cannot be written: ${describeError(thrown)}`;
  try {
    appendLines(path, "", MAX_BYTES);
  } catch (thrown) {
    throw new Error(refused(thrown), { cause: thrown });
  }
  const writer = openLineWriter({
    maxBytes: MAX_BYTES,
    onFailure: (thrown) => terminal.err(`${PREFIX}${refused(thrown)}\n`),
  });
  return { write: (line) => writer.append(path, line), close: async () => writer[Symbol.asyncDispose]() };
}

/** Calls back with each complete, non-empty line. */
function eachLine(take: (line: string) => void): (text: string) => void {
  let rest = "";
  return (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") take(line);
  };
}

function withoutPrefix(line: string): string {
  return line.startsWith(PREFIX) ? line.slice(PREFIX.length) : line;
}
