import type { KeyInput } from "../../../screen/terminal/index.ts";
import { type Key, KeyDecoder } from "./key.ts";

/** The user's keys. Only the newest listener gets them: a dialog covers the prompt. */
export interface Keyboard extends Disposable {
  /** Returns a function that removes the listener. */
  listen(listener: (key: Key) => void): () => void;
  /** Called when the terminal is gone. Returns a function that removes the listener. */
  onEnd(listener: () => void): () => void;
  /** Suspends the program, and calls `resumed` when the user continues it. */
  suspend(resumed: () => void): void;
}

export interface KeyboardOptions {
  readonly input: KeyInput;
  /** Writes to the terminal immediately. */
  readonly write: (text: string) => void;
}

/** Bracketed paste: the terminal marks pasted text, so a line break in it is not the return key. */
const PASTE_ON = "\u001b[?2004h";
const PASTE_OFF = "\u001b[?2004l";
/** If the program still runs after this time, it was not suspended. */
const IGNORED_MS = 200;

/** Switches the terminal to raw mode, Ctrl-C included, until disposed. The exit of the process also restores it. */
export async function openKeyboard({ input, write }: KeyboardOptions): Promise<Keyboard> {
  const { Listeners } = await import("indusagi/core");
  const listeners: ((key: Key) => void)[] = [];
  const endListeners = new Listeners();
  let hasEnded = false;
  // A terminal that disappears ends the input, or fails reading it.
  const onEnd = (): void => {
    if (hasEnded) return;
    hasEnded = true;
    endListeners.emit();
  };
  const decoder = new KeyDecoder((key) => listeners.at(-1)?.(key));
  const onData = (bytes: Uint8Array | string): void => decoder.push(bytes);
  let isOn = false;
  let isClosed = false;
  const turn = (on: boolean): void => {
    if (isOn === on) return;
    isOn = on;
    input.setRawMode(on);
    write(on ? PASTE_ON : PASTE_OFF);
  };
  const restore = (): void => turn(false);
  process.on("exit", restore);
  input.on("data", onData).on("end", onEnd).on("close", onEnd).on("error", onEnd);
  turn(true);
  input.resume();
  return {
    listen: (listener) => {
      listeners.push(listener);
      return () => {
        const at = listeners.lastIndexOf(listener);
        if (at !== -1) listeners.splice(at, 1);
      };
    },
    onEnd: (listener) => {
      if (hasEnded) queueMicrotask(listener);
      return endListeners.add(listener);
    },
    suspend: (resumed) => {
      // Windows has no such signal. Untested.
      if (process.platform === "win32") return resumed();
      turn(false);
      const resume = (): void => {
        process.removeListener("SIGCONT", resume);
        clearTimeout(timer);
        if (isClosed) return;
        turn(true);
        resumed();
      };
      process.once("SIGCONT", resume);
      // Without a shell to continue the program, the system ignores the signal.
      const timer = setTimeout(resume, IGNORED_MS);
      process.kill(process.pid, "SIGTSTP");
    },
    [Symbol.dispose]: () => {
      turn(false);
      isClosed = true;
      process.removeListener("exit", restore);
      // Keep the error listener until the process exits: nothing else handles errors.
      input.removeListener("data", onData).removeListener("end", onEnd).removeListener("close", onEnd);
      decoder.close();
      input.pause();
    },
  };
}
