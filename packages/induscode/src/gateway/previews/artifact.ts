import type { ToolContentBlock } from "indusagi/llm";
import { resultText, type ToolOutcome } from "indusagi/runtime";

/** A result that was too large to send whole. Kept as it was, without a copy. */
export interface Artifact {
  /** Cannot be guessed: for a client without a token or session it is the only proof of ownership. */
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

/** The id in an artifact's URI. Undefined for other URIs. */
export function artifactIdIn(uri: string): string | undefined {
  return uri.startsWith(PREFIX) ? uri.slice(PREFIX.length) : undefined;
}

/** The text that a model pages through and searches: the result's texts and structured content. */
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

/** Our own JSON that merely looks like an MCP block stays JSON. */
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
