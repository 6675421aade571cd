import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/**
 * The answer from an address that the user pastes: the browser on another machine ends at an address of this one, which it
 * cannot open. Lines that are not such an address are ignored. Never resolves if the input ends.
 */
export function pastedAnswer(input: Readable, state: string, signal: AbortSignal): Promise<URLSearchParams> {
  return new Promise((resolve) => {
    const lines = createInterface({ input, terminal: false });
    const stop = (): void => lines.close();
    signal.addEventListener("abort", stop, { once: true });
    lines.on("line", (line) => {
      const answer = answerIn(line.trim(), state);
      if (!answer) return;
      stop();
      resolve(answer);
    });
  });
}

function answerIn(line: string, state: string): URLSearchParams | undefined {
  if (!URL.canParse(line)) return undefined;
  const { searchParams } = new URL(line);
  return searchParams.get("state") === state ? searchParams : undefined;
}
