import type { ToolContentBlock } from "indusagi/llm";
import { answeredOutcome, mcpBlock, previewOf, resultText, type ToolOutcome } from "indusagi/runtime";
import { jsonSize } from "../operations/json-size.ts";
import { type Artifact, artifactUri } from "./artifact.ts";

/** Shown of a text at most; more would defeat the purpose. */
const MAX_CHARS = 4_000;

/**
 * What a client gets in the place of a large result: the beginning and the end of its text, images as far as there is space, and
 * a link to the whole. Structured content is left out: it is in the whole.
 */
export function previewOutcome(
  outcome: ToolOutcome,
  { id, bytes }: Pick<Artifact, "id" | "bytes">,
  overBytes: number,
): ToolOutcome {
  const { content, meta, isError } = outcome.result;
  const maxChars = Math.min(MAX_CHARS, Math.floor(overBytes / 2));
  const isLong = resultText(content).length > maxChars;
  const shown = isLong ? previewOf(content, { id, maxChars }) : content;
  return answeredOutcome(outcome.id, {
    content: [...withinSize(shown, overBytes), linkTo({ id, bytes })],
    ...(isError === undefined ? {} : { isError }),
    ...(meta === undefined ? {} : { meta }),
  });
}

/** The blocks that fit one after the other; a note in the place of each other one. */
function withinSize(blocks: readonly ToolContentBlock[], maxBytes: number): readonly ToolContentBlock[] {
  let left = maxBytes;
  return blocks.map((block) => {
    const size = jsonSize(block.kind === "text" ? block.text : block.value);
    if (block.kind !== "text" && size > left)
      return { kind: "text", text: `[a block of ${size} bytes is left out here; the link leads to it]` };
    left -= size;
    return block;
  });
}

function linkTo({ id, bytes }: Pick<Artifact, "id" | "bytes">): ToolContentBlock {
  return mcpBlock({
    type: "resource_link",
    uri: artifactUri(id),
    name: `result-${id.slice(0, 8)}`,
    title: "The whole result",
    description: `The whole result, about ${bytes} bytes. It is kept for a short time.`,
    size: bytes,
  });
}
