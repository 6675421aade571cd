import { plainText, showDuration } from "../../../core/index.ts";
import type { Caller } from "../../../runtime/index.ts";

/** Sends the caller progress notes about a running command. */
export interface ProgressFeed {
  /** Adds output of the command. */
  add(text: string): void;
  /** Sends what has not been sent yet, then stops. */
  finish(): void;
}

export interface ProgressFeedOptions {
  /** Shortest time between notes. Default 200 ms. */
  readonly everyMs?: number;
  /** Time between notes for a command without output, so that callers do not take it for dead. Default 10 s. */
  readonly aliveEveryMs?: number;
}

/** Returns nothing if the caller takes no progress notes: then the output need not be decoded. */
export function startProgressFeed(
  caller: Caller | undefined,
  { everyMs = 200, aliveEveryMs = 10_000 }: ProgressFeedOptions = {},
): ProgressFeed | undefined {
  if (!caller?.progress) return undefined;
  const startedMs = performance.now();
  let sentMs = startedMs;
  let progress = 0;
  let recent = "";
  let hasNewOutput = false;
  let isFirst = true;

  const send = (message: string): void => {
    sentMs = performance.now();
    // The running time in milliseconds, but always more than in the note before.
    progress = Math.max(progress + 1, Math.round(sentMs - startedMs));
    hasNewOutput = false;
    caller.progress?.({ progress, message });
  };
  const sendOutput = (): void => send(lastLine(recent) ?? runningFor(startedMs));
  const timer = setInterval(() => {
    if (hasNewOutput) sendOutput();
    else if (performance.now() - sentMs >= aliveEveryMs) send(runningFor(startedMs));
  }, everyMs);
  timer.unref();

  return {
    add(text) {
      recent = (recent + text).slice(-MAX_RECENT);
      hasNewOutput = true;
      if (isFirst) sendOutput();
      isFirst = false;
    },
    finish() {
      clearInterval(timer);
      if (hasNewOutput) sendOutput();
    },
  };
}

const MAX_RECENT = 2_000;
const MAX_LINE = 200;

function lastLine(text: string): string | undefined {
  const lines = plainText(text).split(/[\r\n]/);
  return lines.findLast((line) => line.trim() !== "")?.slice(0, MAX_LINE);
}

function runningFor(sinceMs: number): string {
  return `running for ${showDuration(performance.now() - sinceMs)}`;
}
