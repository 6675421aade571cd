import type { Caller } from "../../../runtime/index.ts";
import { plainText } from "./plain-text.ts";
import { showDuration } from "./show-duration.ts";

/** Tells a caller how a running command gets on. */
export interface ProgressFeed {
  hear(text: string): void;
  /** Sends what has not been sent yet, then falls silent. */
  finish(): void;
}

export interface ProgressFeedOptions {
  /** Notes come no faster than this. Default 200 ms. */
  readonly everyMs?: number;
  /** A command that says nothing is still reported at this pace: callers take silence for death. Default 10 s. */
  readonly aliveEveryMs?: number;
}

/** Nothing when the caller takes no progress: then output need not even be decoded. */
export function startProgressFeed(
  caller: Caller | undefined,
  { everyMs = 200, aliveEveryMs = 10_000 }: ProgressFeedOptions = {},
): ProgressFeed | undefined {
  if (!caller?.progress) return undefined;
  const startedMs = performance.now();
  let sentMs = startedMs;
  let progress = 0;
  let recent = "";
  let hasNews = false;
  let isFirst = true;

  const send = (message: string): void => {
    sentMs = performance.now();
    // The time it has run, in milliseconds; a little more where two notes fall together.
    progress = Math.max(progress + 1, Math.round(sentMs - startedMs));
    hasNews = false;
    caller.progress?.({ progress, message });
  };
  const sendNews = (): void => send(lastLine(recent) ?? runningFor(startedMs));
  const timer = setInterval(() => {
    if (hasNews) sendNews();
    else if (performance.now() - sentMs >= aliveEveryMs) send(runningFor(startedMs));
  }, everyMs);
  timer.unref();

  return {
    hear(text) {
      recent = (recent + text).slice(-REMEMBERED_CHARACTERS);
      hasNews = true;
      if (isFirst) sendNews();
      isFirst = false;
    },
    finish() {
      clearInterval(timer);
      if (hasNews) sendNews();
    },
  };
}

const REMEMBERED_CHARACTERS = 2_000;
const MAX_LINE = 200;

function lastLine(text: string): string | undefined {
  const lines = plainText(text).split(/[\r\n]/);
  return lines.findLast((line) => line.trim() !== "")?.slice(0, MAX_LINE);
}

function runningFor(sinceMs: number): string {
  return `running for ${showDuration(performance.now() - sinceMs)}`;
}
