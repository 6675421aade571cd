import type { Flag, ParsedFlags } from "../launch/internal.ts";

/** What a command takes that shows the last lines of a file. */
export interface FollowRequest {
  /** How many of the last lines to show. */
  readonly lines: number;
  /** Whether to go on and show what is added. */
  readonly follow: boolean;
}

const DEFAULT_LINES = 200;

/** `lines` and `added`: the words of the help for what is shown. */
export function followFlags(lines: string, added: string): readonly Flag[] {
  return [
    {
      name: "--lines",
      aliases: [],
      kind: "number",
      value: "COUNT",
      describe: `Show this many of the last ${lines}. Default: ${DEFAULT_LINES}.`,
      accepts: {
        describe: "a whole number from 1 on",
        isValid: (text) => /^[1-9]\d{0,8}$/.test(text),
      },
    },
    {
      name: "--follow",
      aliases: ["-f"],
      kind: "boolean",
      describe: `Go on, and show ${added}, until Ctrl-C.`,
    },
  ];
}

export function readFollow(flags: ParsedFlags): FollowRequest {
  return { lines: flags.number("--lines") ?? DEFAULT_LINES, follow: flags.has("--follow") };
}

/** How often a file is looked at for new lines. */
const FOLLOW_MS = 250;

/** Calls a function again and again until the signal aborts. */
export function followLines(look: () => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(look, FOLLOW_MS);
    const stop = (): void => {
      clearInterval(timer);
      resolve();
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
