import { hasColours, type Look, wrapMessage } from "../internal.ts";
import type { AskOptions } from "./ask.ts";
import type { PipedInputOptions } from "./piped-input.ts";

/** One entry of a structured log. Values are JSON values. */
export interface LoggedEvent {
  readonly level: "info" | "warning" | "error";
  /** What happened, such as `call`. */
  readonly event: string;
  readonly [member: string]: unknown;
}

/** A terminal that keys can be read from, such as standard input. */
export interface KeyInput extends NodeJS.ReadableStream {
  setRawMode(isRaw: boolean): unknown;
}

/** Where a command writes: results to `out`, everything else to `err`. */
export interface Terminal {
  /** Bytes are for a file or a pipe, such as an image. */
  out(text: string | Uint8Array): void;
  err(text: string): void;
  /** Whether `out` is a screen, where control characters from outside must be escaped. Default: false. */
  readonly outIsScreen?: boolean;
  /** Whether `err` is a screen. Default: false. */
  readonly errIsScreen?: boolean;
  /** Asks the user a question. Absent: there is no one to ask. */
  readonly ask?: (question: string, options?: AskOptions) => Promise<string | undefined>;
  /** What was piped or redirected into the command. Absent: nothing. */
  readonly piped?: (options: PipedInputOptions) => Promise<string>;
  /** Writes a structured log entry instead of text for people. Absent: the log is text. */
  readonly log?: (entry: LoggedEvent) => void;
  /** Whether `err` is stored, so secrets must not be written to it. Default: false. */
  readonly isKept?: boolean;
  /** Key input. Absent: standard input is not a terminal. */
  readonly keys?: KeyInput | undefined;
  /** What `out` can show. Default: plain text of any width. */
  readonly outLook?: Look;
  /** What `err` can show. Default: plain text of any width. */
  readonly errLook?: Look;
}

export const processTerminal: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(wrapMessage(text, lookOf(process.stderr).width)),
  ask: async (question, options) => (await import("./ask.ts")).askOnTerminal(question, options),
  piped: async (options) => (await import("./piped-input.ts")).readPipedInput(options),
  get keys() {
    return process.stdin.isTTY ? process.stdin : undefined;
  },
  get outIsScreen() {
    return process.stdout.isTTY;
  },
  get errIsScreen() {
    return process.stderr.isTTY;
  },
  get outLook() {
    return lookOf(process.stdout);
  },
  get errLook() {
    return lookOf(process.stderr);
  },
};

/** The same terminal without colours. */
export function withoutColours(terminal: Terminal): Terminal {
  return adapted(terminal, {
    lookOf: (look) => ({ ...look, hasColours: false }),
    err: (text) => terminal.err(text),
  });
}

/** The same terminal with another `err`. */
export function withMessages(terminal: Terminal, err: Terminal["err"]): Terminal {
  return adapted(terminal, { lookOf: (look) => look, err });
}

/** Asks the inner terminal each time: its size changes. */
function adapted(
  terminal: Terminal,
  { lookOf, err }: { readonly lookOf: (look: Look) => Look; readonly err: Terminal["err"] },
): Terminal {
  return {
    out: (text) => terminal.out(text),
    err,
    ...(terminal.ask && { ask: terminal.ask }),
    ...(terminal.piped && { piped: terminal.piped }),
    get keys() {
      return terminal.keys;
    },
    get outIsScreen() {
      return terminal.outIsScreen ?? false;
    },
    get errIsScreen() {
      return terminal.errIsScreen ?? false;
    },
    get outLook() {
      return lookOf(terminal.outLook ?? {});
    },
    get errLook() {
      return lookOf(terminal.errLook ?? {});
    },
  };
}

function lookOf({ isTTY, columns, rows }: NodeJS.WriteStream): Look {
  return {
    hasColours: hasColours(process.env, isTTY),
    ...(isTTY && columns > 0 ? { width: columns } : {}),
    ...(isTTY && rows > 0 ? { height: rows } : {}),
  };
}
