import { showDuration } from "indusagi/core";

/** Ends a running command, and decides the exit code of the process. */
export interface Shutdown extends Disposable {
  /** Aborts when the command should end. The reason is an error whose message says why. */
  readonly signal: AbortSignal;
  /** The exit code for the cause of the shutdown, or the command's own code if there was none. */
  exitCode(commandCode: number): number;
}

export interface ShutdownOptions {
  /**
   * Keep running when the parent process ends, an output closes, or after SIGHUP, unless an output is a terminal, which the
   * user has then closed. Node undoes the protection of `nohup`, so we must ignore SIGHUP ourselves. Default: false.
   */
  readonly outlivesParent?: boolean;
  /** Time for requests to finish, in addition to the time for cleanup. Default: none. */
  readonly drainMs?: number;
  /** Called with one line for the log. */
  readonly report?: (message: string) => void;
}

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
/** Time for cleanup. Then the process exits, and the watchdog ends what is left. */
const CLEANUP_MS = 2_000;
/** npm forwards signals that the terminal has already sent to us. One that follows this soon is not a second request. */
const ECHO_MS = 300;
/** How often the parent process is checked. */
const PARENT_CHECK_MS = 500;
/** A finished command exits this long after its output was read, even if a library still holds something open. */
const LINGER_MS = 500;

/**
 * Listens for everything that should end a command: signals, a closed output, and the end of the parent process. A second
 * signal exits at once.
 */
export function shutdownSignal({
  outlivesParent = false,
  drainMs = 0,
  report,
}: ShutdownOptions = {}): Shutdown {
  const controller = new AbortController();
  const cleanupMs = CLEANUP_MS + drainMs;
  let code: number | undefined;
  let requestedAtMs = 0;
  let isOver = false;
  let forced: NodeJS.Timeout | undefined;

  const shutDown = (why: string, causeCode?: number): void => {
    if (controller.signal.aborted) return;
    code = causeCode;
    requestedAtMs = performance.now();
    forced = setTimeout(() => {
      report?.(`gave up cleaning up after ${showDuration(cleanupMs)}`);
      process.exit(code ?? 1);
    }, cleanupMs);
    controller.abort(new Error(why));
  };
  const requestShutdown = (name: keyof typeof CODES): void => {
    if (name === "SIGHUP" && outlivesParent && !hasTerminal())
      return report?.("SIGHUP was ignored; send SIGTERM to end it");
    const isSecond = controller.signal.aborted && performance.now() - requestedAtMs > ECHO_MS;
    if (isOver || isSecond) process.exit(code ?? CODES[name]);
    shutDown(`it received ${name}`, CODES[name]);
  };
  // Never removed: without a listener, a write to a closed pipe is an uncaught exception.
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", () => outlivesParent || shutDown("its output was closed"));
  onSignals(requestShutdown);
  const stopChecking = outlivesParent
    ? () => {}
    : onOrphaned(() => shutDown("the process that started it has ended", CODES.SIGHUP));

  return {
    signal: controller.signal,
    exitCode: (commandCode) => code ?? commandCode,
    [Symbol.dispose]: () => {
      clearTimeout(forced);
      stopChecking();
      isOver = true;
      const leave = (): void => void setTimeout(() => process.exit(), LINGER_MS).unref();
      // After a shutdown request, do not wait for a slow reader. From now on a signal exits at once.
      if (controller.signal.aborted) leave();
      else whenRead(leave);
    },
  };
}

/** Whether the user sees the output: `nohup` and service managers redirect it. */
function hasTerminal(): boolean {
  return process.stdout.isTTY || process.stderr.isTTY;
}

/** Calls back when the output was read or the reader is gone. Exiting earlier would cut off what is still in the pipe. */
function whenRead(then: () => void): void {
  process.stdout.write("", () => process.stderr.write("", then));
}

/** Never removed either: a signal that arrives during the removal would be lost. */
function onSignals(requestShutdown: (name: keyof typeof CODES) => void): void {
  for (const name of Object.keys(CODES) as (keyof typeof CODES)[])
    process.on(name, () => requestShutdown(name));
}

function onOrphaned(shutDown: () => void): () => void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (!isAlive(parent)) shutDown();
  }, PARENT_CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function isAlive(parent: number): boolean {
  if (process.platform !== "win32") return process.ppid === parent;
  // Windows does not give orphans a new parent.
  try {
    return process.kill(parent, 0);
  } catch {
    return false;
  }
}
