import type { WireResult } from "../../../runtime/index.ts";
import type { RawResult } from "../../contract/index.ts";
import { readAnswer, type ScannedAnswer } from "../frames/read-answer.ts";

/** Takes large answers before they are parsed. */
export interface AnswerKeeper {
  /** False while it would take none, so nothing has to be looked at. */
  readonly isWaiting: boolean;
  /** False if the answer must be parsed and delivered as any other message. */
  keep(answer: ScannedAnswer): boolean;
}

/** Takes the results of large answers whose messages are delivered later, without them. */
export interface AnswerHolder extends Pick<AnswerKeeper, "isWaiting"> {
  /** False if the message must be delivered as it is. */
  hold(answer: ScannedAnswer): boolean;
}

/** Smaller results are parsed and written again in less time than it takes to keep track of their bytes. */
export const LARGE_BYTES: number = 64 * 1024;

/** Gives a message to a keeper, if it is an answer with a large result. The id of the answer that was kept, else undefined. */
export function keepAnswer(message: Buffer, keeper: AnswerKeeper | undefined): number | undefined {
  if (message.length < LARGE_BYTES || !keeper?.isWaiting) return undefined;
  const answer = readAnswer(message);
  return answer && keeper.keep(answer) ? answer.id : undefined;
}

/** The result of a call as its bytes. It is parsed when somebody needs a value of it. */
export class KeptResult implements WireResult {
  readonly outline: NonNullable<WireResult["outline"]>;
  readonly isError: boolean;
  readonly #bytes: Buffer;
  #value: RawResult | undefined;

  constructor({ result, outline, isError }: ScannedAnswer) {
    this.#bytes = result;
    this.outline = outline;
    this.isError = isError;
  }

  value(): RawResult {
    this.#value ??= JSON.parse(this.#bytes.toString("utf8")) as RawResult;
    return this.#value;
  }

  bytes(): Uint8Array {
    return this.#bytes;
  }
}
