import { devNull } from "node:os";
import { safeEnvironment, startTree, untilAborted } from "indusagi/core";

export interface GitCall {
  readonly cwd: string;
  /** A repository of our own. Absent: the one that the folder is in. */
  readonly gitDir?: string;
  readonly workTree?: string;
  readonly input?: string;
  readonly signal: AbortSignal;
  /** Exit codes that are no failure. Default: 0. */
  readonly accepts?: readonly number[];
}

/** Nothing of the user's or the project's configuration may run a program or change a byte. */
const SETTINGS = [
  "core.bare=false",
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  `core.hooksPath=${devNull}`,
  "core.autocrlf=false",
  "core.compression=0",
  "core.looseCompression=0",
  "gc.auto=0",
];
const MAX_OUTPUT = 64 * 1024 * 1024;

/** Runs git and resolves to its output. Rejects with the last line of its standard error. */
export async function runGit(args: readonly string[], call: GitCall): Promise<string> {
  const { cwd, gitDir, workTree, input, signal, accepts = [0] } = call;
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  let size = 0;
  const settings = gitDir === undefined ? [] : SETTINGS.flatMap((setting) => ["-c", setting]);
  const tree = await startTree("git", [...settings, ...args], {
    cwd,
    env: {
      ...safeEnvironment(),
      GIT_OPTIONAL_LOCKS: "0",
      GIT_TERMINAL_PROMPT: "0",
      LC_ALL: "C",
      ...(gitDir === undefined
        ? {}
        : { GIT_DIR: gitDir, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: devNull }),
      ...(workTree === undefined ? {} : { GIT_WORK_TREE: workTree }),
    },
    ...(input === undefined ? {} : { stdin: "pipe" }),
    onStdout: (chunk) => {
      size += chunk.length;
      if (size <= MAX_OUTPUT) out.push(Buffer.from(chunk));
    },
    onStderr: (chunk) => void err.push(Buffer.from(chunk)),
  });
  try {
    if (input !== undefined) {
      // A git that ends early does not read the rest; its exit code tells why.
      await untilAborted(tree.write(input), signal).catch(() => signal.throwIfAborted());
      tree.closeInput();
    }
    const { code } = await untilAborted(tree.gone, signal);
    if (code === null || !accepts.includes(code)) throw new Error(lastLine(err) || `git ended with ${code}`);
    if (size > MAX_OUTPUT) throw new Error("git printed more than 64 MiB");
    return Buffer.concat(out).toString("utf8");
  } catch (thrown) {
    await tree.end();
    throw thrown;
  }
}

function lastLine(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString("utf8").trim().split("\n").at(-1) ?? "";
}
