import { plainText, shortenText } from "../../core/index.ts";
import { instructionsUri } from "./offer-instructions.ts";

/** What one server contributes. */
export interface ServerInstructions {
  readonly server: string;
  /** One line about it, such as how many tools it has. */
  readonly summary?: string;
  /** Its own instructions, as approved. */
  readonly text?: string;
}

export interface ComposeOptions {
  /** The first line. */
  readonly own: string;
  /** The most characters in total. Default 2,000: clients cut at about 2,048. */
  readonly limit?: number;
}

const LIMIT = 2_000;
/** With a smaller share, a server's text is left out. */
const MIN_SHARE = 40;

/**
 * The instructions of a gateway: its own line, one line per server, then the servers' instructions in equal shares. A text
 * that is too long is cut after a sentence and followed by the URI of the full text. A server's lines are quoted, so it
 * cannot speak for another one. The result is never longer than the limit.
 */
export function composeInstructions(
  servers: readonly ServerInstructions[],
  { own, limit = LIMIT }: ComposeOptions,
): string {
  const head = shortenText(own, limit);
  const lines = serverLines(servers, limit - head.length);
  const intro = [head, ...lines].join("\n");
  const told = servers.flatMap(({ server, text }) => {
    const plain = plainText(text ?? "")
      .replaceAll(/\r\n?/g, "\n")
      .trim();
    return plain === "" ? [] : [{ server, text: plain }];
  });
  return intro + inShares(told, limit - intro.length);
}

/** One line per server. If they do not fit: without the summaries, then only as many as fit. */
function serverLines(servers: readonly ServerInstructions[], space: number): readonly string[] {
  const full = servers.map(({ server, summary }) => line(server, summary));
  if (lengthOf(full) <= space) return full;
  const short = servers.map(({ server }) => line(server));
  if (lengthOf(short) <= space) return short;
  const kept: string[] = [];
  for (const [at, each] of short.entries()) {
    const more = `- and ${short.length - at} more`;
    if (lengthOf([...kept, each, more]) > space)
      return lengthOf([...kept, more]) > space ? kept : [...kept, more];
    kept.push(each);
  }
  return kept;
}

function line(server: string, summary?: string): string {
  return oneLine(summary === undefined || summary === "" ? `- ${server}` : `- ${server}: ${summary}`);
}

function oneLine(text: string): string {
  return plainText(text).replaceAll(/\s+/g, " ");
}

/** Including the line break before each. */
function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, each) => sum + 1 + each.length, 0);
}

interface ToldText {
  readonly server: string;
  readonly text: string;
}

/** Places the shortest texts first, so what they do not need goes to the others. */
function inShares(told: readonly ToldText[], space: number): string {
  const blocks = new Map<ToldText, string>();
  let left = space;
  const byLength = told.toSorted((a, b) => a.text.length - b.text.length);
  for (const [at, each] of byLength.entries()) {
    const share = Math.floor(left / (byLength.length - at));
    const made = block(each, share);
    blocks.set(each, made);
    left -= made.length;
  }
  return told.map((each) => blocks.get(each) ?? "").join("");
}

function block({ server, text }: ToldText, share: number): string {
  const head = `\n\n${oneLine(server)} says:\n`;
  const whole = head + quoted(text);
  if (whole.length <= share) return whole;
  const pointer = `\n(more in ${instructionsUri(server)})`;
  // Quoting adds characters, so the space for the text is found by trying.
  for (let space = share - head.length - pointer.length; space >= MIN_SHARE; ) {
    const cut = cutAtSentence(text, space);
    if (cut === "") return "";
    const made = head + quoted(cut) + pointer;
    if (made.length <= share) return made;
    space = cut.length - 1;
  }
  return "";
}

/** Where a sentence may end: after its mark and before a space, after an East Asian mark, or at a line end. */
const SENTENCE_END = /[.!?…]["')\]”’]*(?=\s|$)|[。！？]|\n/gu;

/** The longest beginning of a text that has at most `maxUnits` characters and ends with a sentence. Empty if there is none. */
export function cutAtSentence(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  let end = 0;
  for (const { index, 0: mark } of text.slice(0, maxUnits + 1).matchAll(SENTENCE_END)) {
    const after = index + mark.length;
    // The end of the slice is not the end of the text.
    if (after > maxUnits) break;
    end = after;
  }
  return text.slice(0, end).trimEnd();
}

function quoted(text: string): string {
  return text
    .split("\n")
    .map((each) => `> ${each}`.trimEnd())
    .join("\n");
}
