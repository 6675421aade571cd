/** Tells a running command that it should come to its end, and with which code the process then exits. */
export interface Ending extends Disposable {
  /** Aborts when it should. */
  readonly signal: AbortSignal;
  /** The exit code of what ended us; where nothing did, the one the command earned. */
  exitCode(earned: number): number;
}

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
/** Cleaning up is given this long; then we exit, which kills what is left. */
const PATIENCE_MS = 2_000;
/** npm passes on the signal that the terminal has sent us already. What comes so soon is no second wish. */
const ECHO_MS = 300;
/** How often we look whether our parent is still there. */
const LOOK_MS = 500;
/** A command that is over and whose output has been read has nothing to wait for, whatever a library still holds open. */
const LINGER_MS = 500;

/**
 * Listens for everything that should end a command: signals, an output nobody reads any more, and the death of the
 * process that started us, which would leave us running for nobody. A second signal ends at once.
 */
export function shutdownSignal(): Ending {
  const controller = new AbortController();
  let code: number | undefined;
  let sinceMs = 0;
  let isOver = false;
  let forced: NodeJS.Timeout | undefined;

  const end = (why: number | undefined): void => {
    if (controller.signal.aborted) return;
    code = why;
    sinceMs = performance.now();
    forced = setTimeout(() => process.exit(code ?? 1), PATIENCE_MS);
    controller.abort(new Error("the command was told to end"));
  };
  const requestShutdown = (why: number): void => {
    const isSecond = controller.signal.aborted && performance.now() - sinceMs > ECHO_MS;
    if (isOver || isSecond) process.exit(code ?? why);
    end(why);
  };
  // Without a listener the next write to a closed pipe would be an exception nobody catches. They stay to the end.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => end(undefined));
  onSignals(requestShutdown);
  const stopLooking = onOrphaned(() => end(CODES.SIGHUP));

  return {
    signal: controller.signal,
    exitCode: (earned) => code ?? earned,
    [Symbol.dispose]: () => {
      clearTimeout(forced);
      stopLooking();
      isOver = true;
      const leave = (): void => void setTimeout(() => process.exit(), LINGER_MS).unref();
      // Who was told to end does not wait for a slow reader; a signal that comes from now on ends us at once.
      if (controller.signal.aborted) leave();
      else whenRead(leave);
    },
  };
}

/** Calls back when all that was written has left us, or nobody wants it: to exit would cut off what a pipe has yet to take. */
function whenRead(then: () => void): void {
  process.stdout.write("", () => process.stderr.write("", then));
}

/** They stay to the end as well: a signal that comes while its listener is taken away would be lost. */
function onSignals(requestShutdown: (code: number) => void): void {
  for (const [name, code] of Object.entries(CODES)) process.on(name, () => requestShutdown(code));
}

function onOrphaned(end: () => void): () => void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (!isStillThere(parent)) end();
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function isStillThere(parent: number): boolean {
  if (process.platform !== "win32") return process.ppid === parent;
  // Windows gives orphans no new parent. Untested.
  try {
    return process.kill(parent, 0);
  } catch {
    return false;
  }
}
