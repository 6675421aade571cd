import { wholeCharactersEnd, wholeCharactersStart } from "../../../core/internal.ts";
import type { EndsBuffer } from "./both-ends.ts";

/** The kept output of a stream, as text. */
export interface KeptText {
  readonly text: string;
  /** The number of bytes that are not in it. */
  readonly omittedBytes: number;
}

/** Decodes both ends as UTF-8, cut to whole characters, with a line between them that counts the omitted bytes. */
export function keptText(ends: EndsBuffer): KeptText {
  const head = ends.head();
  const tail = ends.tail();
  const dropped = ends.total - head.length - tail.length;
  if (dropped === 0) return { text: Buffer.concat([head, tail]).toString("utf8"), omittedBytes: 0 };

  const cleanHead = head.subarray(0, wholeCharactersEnd(head));
  const cleanTail = tail.subarray(wholeCharactersStart(tail));
  const omittedBytes = ends.total - cleanHead.length - cleanTail.length;
  const text = `${cleanHead.toString("utf8")}\n[... ${omittedBytes} bytes omitted ...]\n${cleanTail.toString("utf8")}`;
  return { text, omittedBytes };
}
