import { canonicalJson } from "../../../core/index.ts";
import type { ToolEntry, TranscriptEntry } from "../contract.ts";

/** After this many equal answers in a row, the same call is not run again. */
const MAX_EQUAL = 3;
/** After this many refused calls the turn ends. */
const MAX_REFUSED = 3;

export type RepeatVerdict = "run" | "refuse" | "end";

/**
 * Decides whether to run a call again: a call that got the same answer several times in a row would get it once more. A
 * call whose answers differ, such as a poll, keeps running.
 */
export function judgeRepeat(
  transcript: readonly TranscriptEntry[],
  call: { readonly name: string; readonly input: unknown },
): RepeatVerdict {
  const wanted = callKey(call.name, call.input);
  let equal = 0;
  let refused = 0;
  let answer: string | undefined;
  for (let position = transcript.length - 1; position >= 0; position--) {
    const entry = transcript[position];
    if (entry?.kind === "user") break;
    if (entry?.kind !== "tool") continue;
    if (callKey(entry.name, entry.given) !== wanted) break;
    if (entry.fault?.reason === REPEATED) {
      refused++;
      continue;
    }
    answer ??= answerKey(entry);
    if (answerKey(entry) !== answer) break;
    equal++;
  }
  if (equal < MAX_EQUAL) return "run";
  return refused < MAX_REFUSED ? "refuse" : "end";
}

/** The reason of the fault of a call that was not run again. */
export const REPEATED = "repeated";

/** The answer to a call that is not run again. */
export function repeatedMessage(name: string): string {
  return `${name} was not run: the same call with the same arguments gave the same answer ${MAX_EQUAL} times. Change the arguments, use another tool, or answer with what is known`;
}

function callKey(name: string, input: unknown): string {
  return `${name} ${canonicalJson(input ?? null)}`;
}

function answerKey({ content, isError }: ToolEntry): string {
  return `${isError} ${JSON.stringify(content)}`;
}
