import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Socket } from "node:net";
import { describeError } from "indusagi/core";

/** Ends this process if it stands still, for example after SIGSTOP: it cannot end its servers itself then, and others may start them. */
export interface StallGuard extends Disposable {
  /** This process may stand still for this long. */
  allow(ms: number): void;
}

/**
 * A shell that counts down. It has a session of its own, so it does not get the signals of this process's group, and it ends
 * with this process. Its input and a tick for each second come through one pipe, because a POSIX shell cannot wait for both.
 */
const GUARD = `
guarded=$1
exec 3<&0
{
  (trap '' INT HUP TERM; while sleep 1; do echo tick || exit; done) 2>/dev/null & ticker=$!
  cat <&3
  kill -9 $ticker
} | {
  left=-1
  while read -r word; do
    case $word in
      tick) [ "$left" -lt 0 ] || left=$((left - 1))
        if [ "$left" -eq 0 ]; then kill -9 "$guarded"; exit; fi ;;
      *[!0-9]*) ;;
      *) left=$word ;;
    esac
  done
}
`;

const SHELL = "/bin/sh";

/** Undefined where there is no shell, on Windows. */
export function startStallGuard(
  report: (message: string) => void,
  pid: number = process.pid,
): StallGuard | undefined {
  if (process.platform === "win32" || !existsSync(SHELL)) return undefined;
  const child = spawn(SHELL, ["-c", GUARD, "indus-stall-guard", String(pid)], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
  });
  const { stdin } = child;
  let isOver = false;
  const failed = (thrown: unknown): void => {
    if (!isOver) report(`nothing ends this worker if it stands still: ${describeError(thrown)}`);
    isOver = true;
  };
  child.once("error", failed);
  child.once("exit", () => failed("its guard has ended"));
  stdin.on("error", failed);
  child.unref();
  (stdin as Partial<Socket>).unref?.();
  return {
    allow: (ms) => {
      if (!isOver) stdin.write(`${Math.max(1, Math.floor(ms / 1_000))}\n`);
    },
    [Symbol.dispose]: () => {
      isOver = true;
      stdin.end();
    },
  };
}
