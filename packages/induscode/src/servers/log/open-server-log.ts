import { mkdirSync } from "node:fs";
import { describeError } from "indusagi/core";
import { openLineWriter } from "../../state/lines/index.ts";
import { entryLine, pruneLogs, type ServerEvent, serverLogPath } from "./log-entry.ts";

/** Logs what servers write and do, in one file each. Several processes may use one folder. */
export interface ServerLog extends AsyncDisposable {
  /** Never throws. Entries are written soon, and when the log is closed. */
  record(server: string, event: ServerEvent): void;
}

export interface ServerLogOptions {
  /** Called once with one line if the log cannot be written. */
  readonly report: (message: string) => void;
  /** The size of one file; a server has at most two. Default 256 KiB. */
  readonly maxBytes?: number;
}

const MAX_BYTES = 256 * 1024;

/** Opens the log in a folder, which is created if it does not exist. */
export function openServerLog(folder: string, { report, maxBytes = MAX_BYTES }: ServerLogOptions): ServerLog {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let hasFailed = false;
  const paths = new Map<string, string>();
  const pathOf = (server: string): string => {
    const path = paths.get(server) ?? serverLogPath(folder, server);
    paths.set(server, path);
    return path;
  };
  const writer = openLineWriter({
    maxBytes,
    onFailure: (thrown) => {
      if (!hasFailed) report(`the log of the servers cannot be written: ${describeError(thrown)}`);
      hasFailed = true;
    },
  });
  return {
    record: (server, event) => {
      if (!hasFailed) writer.append(pathOf(server), entryLine(server, event));
    },
    [Symbol.asyncDispose]: async () => {
      await writer[Symbol.asyncDispose]();
      pruneLogs(folder);
    },
  };
}
