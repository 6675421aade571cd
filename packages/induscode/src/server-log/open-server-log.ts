import { mkdirSync } from "node:fs";
import { describeError } from "indusagi/core";
import { entryLine, type ServerEvent } from "./log-entry.ts";
import { appendLines, logPath, pruneLogs } from "./log-file.ts";

/** Keeps what servers wrote and did, in one file each. Several processes may use one folder at the same time. */
export interface ServerLog extends AsyncDisposable {
  /** Never throws. What is not written yet is written soon, and when the log is closed. */
  record(server: string, event: ServerEvent): void;
}

export interface ServerLogOptions {
  /** Called once if the log cannot be written, with one line. */
  readonly report: (message: string) => void;
  /** The size of one file; a server has at most two. Default 256 KiB. */
  readonly maxBytes?: number;
}

const MAX_BYTES = 256 * 1024;
/** The events of a moment are written together. */
const DELAY_MS = 200;
/** More is written at once, so that a busy server needs little memory. */
const MAX_WAITING_CHARS = 64 * 1024;

/** Opens the log in a folder, which is created if it does not exist. */
export function openServerLog(folder: string, { report, maxBytes = MAX_BYTES }: ServerLogOptions): ServerLog {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const waiting = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  let hasFailed = false;

  const write = (server: string, lines: string): void => {
    waiting.delete(server);
    if (hasFailed) return;
    try {
      appendLines(logPath(folder, server), lines, maxBytes);
    } catch (thrown) {
      hasFailed = true;
      report(`the log of the servers cannot be written: ${describeError(thrown)}`);
    }
  };
  const writeAll = (): void => {
    clearTimeout(timer);
    timer = undefined;
    for (const [server, lines] of waiting) write(server, lines);
  };
  return {
    record: (server, event) => {
      const lines = (waiting.get(server) ?? "") + entryLine(server, event);
      waiting.set(server, lines);
      if (lines.length > MAX_WAITING_CHARS) write(server, lines);
      else timer ??= setTimeout(writeAll, DELAY_MS).unref();
    },
    [Symbol.asyncDispose]: async () => {
      writeAll();
      pruneLogs(folder);
    },
  };
}
