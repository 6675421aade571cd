import { fstatSync } from "node:fs";
import { joinSignals } from "indusagi/core";
import { readInput } from "./read-input.ts";

/** A pipe that stays open and silent is probably not for us: a service manager or an editor holds it. */
const SILENCE_MS = 3_000;

export interface PipedInputOptions {
  readonly signal: AbortSignal;
  /** The command works without input, so do not wait for a silent pipe. */
  readonly isOptional: boolean;
  readonly report: (message: string) => void;
}

/** What was piped or redirected into standard input. Empty if it is a terminal or a device such as /dev/null. */
export async function readPipedInput({ signal, isOptional, report }: PipedInputOptions): Promise<string> {
  if (process.stdin.isTTY || !isPiped()) return "";
  if (!isOptional) return readInput(signal);
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Error("silent")), SILENCE_MS);
  process.stdin.once("readable", () => clearTimeout(timer));
  try {
    return await readInput(joinSignals(signal, silence.signal));
  } catch (thrown) {
    signal.throwIfAborted();
    if (!silence.signal.aborted) throw thrown;
    report(
      `standard input is open but silent; continuing without it (redirect it from ${process.platform === "win32" ? "NUL" : "/dev/null"} to avoid the wait)`,
    );
    return "";
  } finally {
    clearTimeout(timer);
  }
}

function isPiped(): boolean {
  try {
    const info = fstatSync(0);
    return info.isFIFO() || info.isFile() || info.isSocket();
  } catch {
    return false; // Closed.
  }
}
