import { existsSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import {
  callListener,
  type ProcessTree,
  safeEnvironment,
  startTree,
  type TreeOptions,
} from "../../../core/index.ts";
import type { ShellExecOptions, ShellOptions, ShellStream } from "../../contract/index.ts";

export interface LocalShellOptions {
  /** Added to the safe environment of every command; `undefined` removes a name. */
  readonly env?: NonNullable<ShellOptions["env"]>;
  /** The shell that reads the command line. Default: bash, else sh; `cmd.exe` on Windows. */
  readonly shellPath?: string;
}

/** Starts the shell on one command line as a process tree, through the wrapping program if there is one. */
export async function launchShell(
  command: string,
  { wrap, ...options }: ShellOptions & Omit<TreeOptions, "env">,
  shell: LocalShellOptions,
): Promise<ProcessTree> {
  const { verbatimArguments, ...launch } = shellFor(command, shell.shellPath);
  const wrapped = await wrap?.({ ...launch, cwd: options.cwd ?? process.cwd() });
  const { path, args } = wrapped ?? launch;
  try {
    const tree = await startTree(path, args, {
      ...options,
      verbatimArguments,
      env: safeEnvironment({ ...NON_INTERACTIVE, ...shell.env, ...options.env, ...wrapped?.env }),
    });
    if (wrapped) void tree.gone.then(() => wrapped.release?.());
    return tree;
  } catch (thrown) {
    wrapped?.release?.();
    throw thrown;
  }
}

/** Makes programs run without a user: no pager, no colours, no prompt for a password or a confirmation. */
const NON_INTERACTIVE = {
  TERM: "dumb",
  NO_COLOR: "1",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  DEBIAN_FRONTEND: "noninteractive",
} as const;

interface ShellCommand {
  readonly path: string;
  readonly args: readonly string[];
  readonly verbatimArguments: boolean;
}

function shellFor(command: string, shellPath: string | undefined): ShellCommand {
  if (process.platform === "win32") {
    // /d: no AutoRun from the registry; /s with the outer quotes: the command line is used as written.
    const path = shellPath ?? process.env["ComSpec"] ?? "C:\\Windows\\System32\\cmd.exe";
    return { path, args: ["/d", "/s", "/c", `"${command}"`], verbatimArguments: true };
  }
  // -c reads no start-up files; after -- a command may begin with a dash.
  return { path: shellPath ?? posixShell(), args: ["-c", "--", command], verbatimArguments: false };
}

let knownShell: string | undefined;

function posixShell(): string {
  knownShell ??= existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh";
  return knownShell;
}

/** Passes the output of a command on as text. */
interface OutputTap {
  write(stream: ShellStream, chunk: Buffer): void;
  /** Passes on what is left of an incomplete character. */
  end(): void;
}

/** A character that is split between two chunks is passed on when it is complete. */
export function createOutputTap(options: Pick<ShellExecOptions, "onOutput">): OutputTap {
  if (!options.onOutput) return { write: () => {}, end: () => {} };
  const decoders = { stdout: new StringDecoder("utf8"), stderr: new StringDecoder("utf8") };
  const emit = (stream: ShellStream, output: string): void => {
    if (output !== "") callListener((text) => options.onOutput?.(stream, text), output);
  };
  return {
    write: (stream, chunk) => emit(stream, decoders[stream].write(chunk)),
    end: () => {
      for (const stream of ["stdout", "stderr"] as const) emit(stream, decoders[stream].end());
    },
  };
}
