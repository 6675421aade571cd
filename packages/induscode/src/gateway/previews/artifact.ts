import type { ToolContentBlock } from "indusagi/llm";
import { resultText, type ToolOutcome } from "indusagi/runtime";

/** A result that was too large to be sent whole. It is kept as it was, without a copy. */
export interface Artifact {
  /** Cannot be guessed: a client without a token or a session has nothing else to show that the result is its own. */
  readonly id: string;
  /** Who may read it. */
  readonly owner: string;
  readonly outcome: ToolOutcome;
  readonly bytes: number;
  readonly expiresMs: number;
}

const PREFIX = "indus://artifact/";

export function artifactUri(id: string): string {
  return `${PREFIX}${id}`;
}

/** The id in the URI of an artifact; undefined if it is another URI. */
export function artifactIdIn(uri: string): string | undefined {
  return uri.startsWith(PREFIX) ? uri.slice(PREFIX.length) : undefined;
}

/** What a model reads in windows and searches: the texts of the result, and its structured content. */
export function artifactText({ outcome: { result } }: Pick<Artifact, "outcome">): string {
  const text = resultText(result.content);
  if (result.structured === undefined) return text;
  const structured = JSON.stringify(result.structured) ?? "";
  return text === "" ? structured : `${text}\n${structured}`;
}

interface Block {
  readonly type?: unknown;
  readonly [member: string]: unknown;
}

/** The contents of an artifact as a resource: each part exactly as the tool sent it. */
export function artifactContents({ id, outcome }: Pick<Artifact, "id" | "outcome">): readonly object[] {
  const uri = artifactUri(id);
  const wire = outcome.wire?.value() as
    | { readonly content?: unknown; readonly structuredContent?: unknown }
    | undefined;
  const parts = Array.isArray(wire?.content)
    ? wire.content.map((block: unknown) => contentOf(block as Block))
    : outcome.result.content.map(ownContent);
  const structured = wire?.structuredContent ?? outcome.result.structured;
  return [
    ...parts.map((part) => ({ uri, ...part })),
    ...(structured === undefined ? [] : [{ uri, ...jsonContent(structured) }]),
  ];
}

/** JSON of ours that merely looks like a block of MCP stays JSON. */
function ownContent(block: ToolContentBlock): object {
  if (block.kind === "text") return { mimeType: "text/plain", text: block.text };
  return block.mcp ? contentOf(block.value as Block) : jsonContent(block.value);
}

function contentOf(block: Block): object {
  const { type, text, data, mimeType, resource } = block;
  if (type === "text" && typeof text === "string") return { mimeType: "text/plain", text };
  if ((type === "image" || type === "audio") && typeof data === "string")
    return { mimeType: typeof mimeType === "string" ? mimeType : "application/octet-stream", blob: data };
  if (type === "resource" && typeof resource === "object" && resource !== null) {
    const { text: inner, blob, mimeType: kind } = resource as Block & { readonly blob?: unknown };
    const named = typeof kind === "string" ? { mimeType: kind } : {};
    if (typeof inner === "string") return { ...named, text: inner };
    if (typeof blob === "string") return { ...named, blob };
  }
  return jsonContent(block);
}

function jsonContent(value: unknown): object {
  return { mimeType: "application/json", text: JSON.stringify(value) ?? "null" };
}
