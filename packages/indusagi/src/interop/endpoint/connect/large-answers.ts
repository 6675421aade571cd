import type { TransformStreamDefaultController } from "node:stream/web";
import { type AnswerHolder, LARGE_BYTES, readAnswer, textOf } from "../../wire/index.ts";

type Controller = TransformStreamDefaultController<Uint8Array>;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/**
 * Large answers of a server over HTTP, taken from its responses before the SDK parses them. The SDK gets the same message without
 * its result, in the same place: so whatever was sent before it is still delivered before it.
 */
export class LargeAnswers {
  /** Gets the results. Set when the connection is open. */
  holder: AnswerHolder | undefined;

  /** The message without its result, if somebody takes that as its bytes. */
  takeFrom(message: Buffer): string | undefined {
    const { holder } = this;
    if (!holder?.isWaiting || message.length < LARGE_BYTES) return undefined;
    const answer = readAnswer(message);
    if (!answer || !holder.hold(answer)) return undefined;
    const { id, isError } = answer;
    return JSON.stringify({ jsonrpc: "2.0", id, result: { isError } });
  }

  /** The same response. Its `json` is all that the SDK reads a JSON body with. */
  ofBody(response: Response): Response {
    if (!this.holder?.isWaiting || isSmall(response)) return response;
    const json = async (): Promise<unknown> => {
      const bytes = Buffer.from(await response.arrayBuffer());
      return JSON.parse(this.takeFrom(bytes) ?? textOf(bytes));
    };
    return Object.defineProperty(response, "json", { value: json });
  }
}

/** Undefined if the length is not known, or not that of the decoded body. */
function isSmall({ headers }: Response): boolean {
  const length = headers.get("content-length");
  return length !== null && !headers.has("content-encoding") && Number(length) < LARGE_BYTES;
}

/**
 * Takes large answers from a stream of events. An event is passed on when it has ended: nobody can read it before. In a stream
 * with lines that end with a carriage return alone, which nobody sends, everything is passed on at once.
 */
export class AnswerEvents {
  readonly #answers: LargeAnswers;
  /** The current event so far. */
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  /** Length of the current line, and its first byte. */
  #lineBytes = 0;
  #first = 0;
  #last = 0;
  #isOdd = false;

  constructor(answers: LargeAnswers) {
    this.#answers = answers;
  }

  push(chunk: Uint8Array, out: Controller): void {
    if (!this.#isOdd && this.#hasLoneReturn(chunk)) {
      this.#isOdd = true;
      this.flush(out);
    }
    if (this.#isOdd) return out.enqueue(chunk);
    let start = 0;
    for (let at = 0; at < chunk.length; ) {
      const end = chunk.indexOf(LINE_FEED, at);
      const length = (end === -1 ? chunk.length : end) - at;
      if (this.#lineBytes === 0) this.#first = chunk[at] as number;
      this.#lineBytes += length;
      if (end === -1) break;
      at = end + 1;
      const isBlank = this.#lineBytes === 0 || (this.#lineBytes === 1 && this.#first === CARRIAGE_RETURN);
      this.#lineBytes = 0;
      if (!isBlank) continue;
      this.#endEvent(start === 0 && at === chunk.length ? chunk : chunk.subarray(start, at), out);
      start = at;
    }
    if (start < chunk.length) this.#keep(start === 0 ? chunk : chunk.subarray(start));
  }

  /** Passes on what is kept. */
  flush(out: Controller): void {
    for (const piece of this.#pieces) out.enqueue(piece);
    this.#pieces = [];
    this.#bytes = 0;
  }

  #keep(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
  }

  #endEvent(last: Uint8Array, out: Controller): void {
    this.#keep(last);
    const event = this.#bytes < LARGE_BYTES ? undefined : Buffer.concat(this.#pieces, this.#bytes);
    const data = event && dataIn(event);
    const rest = data && this.#answers.takeFrom(event.subarray(data.start, data.end));
    if (!rest) return this.flush(out);
    this.#pieces = [event.subarray(0, data.start), Buffer.from(rest), event.subarray(data.end)];
    this.flush(out);
  }

  #hasLoneReturn(chunk: Uint8Array): boolean {
    const wasReturn = this.#last === CARRIAGE_RETURN;
    this.#last = chunk.at(-1) ?? this.#last;
    if (wasReturn && chunk[0] !== LINE_FEED) return true;
    for (let at = chunk.indexOf(CARRIAGE_RETURN); at !== -1; at = chunk.indexOf(CARRIAGE_RETURN, at + 1))
      if (at + 1 < chunk.length && chunk[at + 1] !== LINE_FEED) return true;
    return false;
  }
}

/** Where the data of an event is, if it is a message on one line. */
function dataIn(event: Buffer): { readonly start: number; readonly end: number } | undefined {
  let data: { readonly start: number; readonly end: number } | undefined;
  for (let at = 0, next = 0; at < event.length; at = next) {
    const feed = event.indexOf(LINE_FEED, at);
    next = feed + 1;
    const end = feed > at && event[feed - 1] === CARRIAGE_RETURN ? feed - 1 : feed;
    const line = event.toString("latin1", at, Math.min(end, at + 16));
    if (line.startsWith("data:")) {
      if (data) return undefined;
      data = { start: event[at + 5] === SPACE ? at + 6 : at + 5, end };
    } else if (!/^(?:$|:|id:|retry:|event: ?message$)/.test(line)) return undefined;
  }
  return data;
}
