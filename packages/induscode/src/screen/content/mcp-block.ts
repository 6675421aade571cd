import { showJson } from "../json.ts";
import { type ContentView, showBinary, showInline, showText } from "./content-view.ts";

type Members = { readonly [member: string]: unknown };

/** One MCP content block as text. Binary data is stored in a file; unknown kinds are shown as JSON. */
export function showMcpBlock(block: unknown, view: ContentView): string {
  const { type, text, data, mimeType, resource } = membersOf(block);
  if (type === "text" && typeof text === "string") return showText(text, view);
  if ((type === "image" || type === "audio") && typeof data === "string")
    return showBinary(data, textOf(mimeType), view);
  if (type === "resource" && typeof resource === "object") return showResourceContents(resource, view);
  return type === "resource_link" ? showLink(membersOf(block)) : showJson(block).trimEnd();
}

/** The contents of a resource: its text, or the file that its data is stored in. */
export function showResourceContents(contents: unknown, view: ContentView): string {
  const { text, blob, mimeType } = membersOf(contents);
  if (typeof text === "string") return showText(text, view, textOf(mimeType));
  return typeof blob === "string" ? showBinary(blob, textOf(mimeType), view) : showJson(contents).trimEnd();
}

/** A prompt as its messages, each after its role. */
export function showMessages(messages: readonly unknown[], view: ContentView): string {
  return messages
    .map((message) => {
      const { role, content } = membersOf(message);
      const blocks = (Array.isArray(content) ? content : [content]) as readonly unknown[];
      return `${showInline(role) || "message"}:\n${blocks.map((block) => showMcpBlock(block, view)).join("\n")}`;
    })
    .join("\n\n");
}

function showLink({ uri, name, title, description }: Members): string {
  const about = showInline(description);
  return `${showInline(title) || showInline(name) || "resource"}: ${showInline(uri)}${about && ` (${about})`}`;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null ? (value as Members) : {};
}
