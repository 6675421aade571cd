import { cutText } from "../../../core/index.ts";
import { coerceArguments, explainMismatch, type ToolDescriptor } from "../../../llm/index.ts";
import { createTableBox } from "../../box/index.ts";
import type { ToolBox } from "../../contract/index.ts";
import { answeredOutcome, failureResult, textResult } from "../../results.ts";
import type { ResultStore } from "../contract.ts";
import { READ_RESULT } from "./preview.ts";

const DEFAULT_CHARS = 10_000;
const MAX_MATCHES = 50;
/** How much of a matching line is shown. */
const MAX_LINE = 300;
/** How much of it is shown before the match. */
const MAX_BEFORE = 100;

const DESCRIPTOR: ToolDescriptor = Object.freeze({
  name: READ_RESULT,
  description:
    "Reads more of an earlier tool result that was too long to show in full. Give an offset to read from there, or a search text to find the lines that contain it.",
  parameters: {
    type: "object",
    properties: {
      id: { type: "string", description: "The id from the note in the shortened result." },
      offset: { type: "integer", minimum: 0, description: "The first character. Default: 0." },
      limit: {
        type: "integer",
        minimum: 1,
        description: `How many characters. Default: ${DEFAULT_CHARS}.`,
      },
      search: { type: "string", minLength: 1, description: "Show the lines that contain this text instead." },
    },
    required: ["id"],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
});

interface ReadRequest {
  readonly id: string;
  readonly offset?: number;
  readonly limit?: number;
  readonly search?: string;
}

/** A box with one tool that lets a model read stored answers. `maxChars` limits each of its own answers. */
export function readResultBox(store: ResultStore, maxChars: number): ToolBox {
  const read = async (input: unknown) => {
    const given = coerceArguments(DESCRIPTOR.parameters, input);
    const mismatch = explainMismatch(DESCRIPTOR.parameters, given);
    if (mismatch !== undefined) return failureResult(`${READ_RESULT}: ${mismatch}`);
    const { id, search, offset = 0, limit = DEFAULT_CHARS } = given as ReadRequest;
    const text = await store.read(id);
    if (text === undefined)
      return failureResult(`there is no stored result with the id ${JSON.stringify(id)}`);
    const shown =
      search === undefined ? windowOf(text, offset, Math.min(limit, maxChars)) : linesWith(text, search);
    return textResult(shown);
  };
  const run: ToolBox["runner"]["run"] = async ({ id, input }) => answeredOutcome(id, await read(input));
  return createTableBox([{ descriptor: DESCRIPTOR, run }]).box;
}

function windowOf(text: string, offset: number, limit: number): string {
  const shown = cutText(text.slice(offset), limit);
  const end = offset + shown.length;
  const rest = end < text.length ? `; read on with offset ${end}` : "";
  return `[characters ${Math.min(offset, text.length)} to ${Math.min(end, text.length)} of ${text.length}${rest}]\n${shown}`;
}

/** Searches the whole text, not line by line: a result may have many megabytes. */
function linesWith(text: string, search: string): string {
  const wanted = new RegExp(search.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "gi");
  const found: string[] = [];
  let count = 0;
  for (let match = wanted.exec(text); match; match = wanted.exec(text)) {
    const next = text.indexOf("\n", match.index);
    const end = next < 0 ? text.length : next;
    // Of a long line, such as JSON without line breaks, the part around the match is shown, and the search continues in it.
    const begin = Math.max(text.lastIndexOf("\n", match.index - 1) + 1, match.index - MAX_BEFORE);
    const isWhole = end - begin <= MAX_LINE;
    if (++count <= MAX_MATCHES)
      found.push(
        `${begin}: ${cutText(text.slice(begin, begin + MAX_LINE + 1), Math.min(MAX_LINE, end - begin))}`,
      );
    wanted.lastIndex = isWhole ? end + 1 : Math.max(begin + MAX_LINE, match.index + search.length);
  }
  const heading = `[${count} lines contain ${JSON.stringify(search)}${count > MAX_MATCHES ? `; the first ${MAX_MATCHES}` : ""}; each begins with its offset]`;
  return [heading, ...found].join("\n");
}
