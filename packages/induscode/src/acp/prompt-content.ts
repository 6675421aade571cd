import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { ContentParts } from "../mentions/index.ts";

/** A prompt of an editor: its words, and what it attached. */
export interface EditorPrompt {
  readonly text: string;
  readonly attached: ContentParts;
}

/** Text blocks are what the user wrote; everything else is attached to it. */
export function editorPrompt(blocks: readonly ContentBlock[]): EditorPrompt {
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return { text: texts.join("\n"), attached: blocks.flatMap(attachmentOf) };
}

function attachmentOf(block: ContentBlock): ContentParts {
  switch (block.type) {
    case "text":
      return [];
    case "image":
      return [{ kind: "image", mimeType: block.mimeType, data: block.data }];
    case "resource": {
      const { resource } = block;
      if ("text" in resource)
        return [{ kind: "text", text: `<file ${resource.uri}>\n${resource.text}\n</file>` }];
      if (resource.mimeType?.startsWith("image/"))
        return [{ kind: "image", mimeType: resource.mimeType, data: resource.blob }];
      return [{ kind: "text", text: `(${resource.uri} is binary and is not included)` }];
    }
    case "resource_link":
      return [{ kind: "text", text: `${block.name}: ${block.uri}` }];
    case "audio":
      return [{ kind: "text", text: "(audio is not included)" }];
  }
}
