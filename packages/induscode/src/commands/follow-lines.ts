import type { Flag, ParsedFlags } from "../launch/internal.ts";

/** The request of a command that shows the last lines of a file. */
export interface FollowRequest {
  /** How many of the last lines to show. */
  readonly lines: number;
  /** Whether to keep showing new lines. */
  readonly follow: boolean;
}

const DEFAULT_LINES = 200;

/** `lines` and `added`: what the help calls them. */
export function followFlags(lines: string, added: string): readonly Flag[] {
  return [
    {
      name: "--lines",
      aliases: [],
      kind: "number",
      value: "COUNT",
      describe: `How many of the last ${lines} to show. Default: ${DEFAULT_LINES}.`,
      accepts: {
        describe: "a whole number from 1 on",
        isValid: (text) => /^[1-9]\d{0,8}$/.test(text),
      },
    },
    {
      name: "--follow",
      aliases: ["-f"],
      kind: "boolean",
      describe: `Keep showing ${added} until Ctrl-C.`,
    },
  ];
}

export function readFollow(flags: ParsedFlags): FollowRequest {
  return { lines: flags.number("--lines") ?? DEFAULT_LINES, follow: flags.has("--follow") };
}

/** How often a file is checked for new lines. */
const FOLLOW_MS = 250;

/** Calls a function periodically until the signal aborts. */
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
