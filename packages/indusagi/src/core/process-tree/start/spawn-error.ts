import { CoreError, describeError, errorCode } from "../../core-error.ts";
import { shortenText } from "../../text/cut-text.ts";

/** A process could not be started. */
export class SpawnError extends CoreError<"spawn_failed"> {
  /** The system's error code: `ENOENT`, `EACCES`, `E2BIG` … */
  readonly code: string | undefined;

  constructor(message: string, options: { readonly code?: string | undefined; readonly cause?: unknown }) {
    super("spawn_failed", message, { cause: options.cause });
    this.code = options.code;
  }
}

/** Explains a failed start: names the command, or the working directory if that was the reason. */
export function explainSpawnFailure(command: string, cwd: string | undefined, cause: unknown): SpawnError {
  if (cause instanceof SpawnError && cause.code !== "ENOENT") return cause;
  const code = errorCode(cause);
  const folder = cwd === undefined ? undefined : folderProblem(cwd);
  if (folder) return new SpawnError(`could not start ${quoted(command)}: ${folder}`, { code, cause });
  const reason = (code === undefined ? undefined : REASONS[code]) ?? describeError(cause);
  return new SpawnError(`could not start ${quoted(command)}: ${reason}`, { code, cause });
}

const REASONS: { readonly [code: string]: string } = {
  ENOENT: "there is no such command",
  EACCES: "permission denied, or not an executable",
  ENOEXEC: "it is not a program this system can run",
  E2BIG: "the command line is too long; put the long part into a file",
  EMFILE: "too many open files in this process",
  ENFILE: "too many open files on this system",
  EAGAIN: "the process limit is reached",
  ENOMEM: "out of memory",
  ERR_INVALID_ARG_VALUE: "command, arguments and environment must not contain a NUL character",
};

function folderProblem(cwd: string): string | undefined {
  try {
    return process.getBuiltinModule("node:fs").statSync(cwd).isDirectory()
      ? undefined
      : `the working directory ${quoted(cwd)} is not a directory`;
  } catch (thrown) {
    if (errorCode(thrown) === "ENOENT") return `the working directory ${quoted(cwd)} does not exist`;
    return `the working directory ${quoted(cwd)} cannot be entered: ${describeError(thrown)}`;
  }
}

function quoted(text: string): string {
  return JSON.stringify(shortenText(text, 200));
}
