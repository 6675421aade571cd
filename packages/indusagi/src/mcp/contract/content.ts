interface AnyMCPBlock {
  readonly annotations?: { readonly [hint: string]: unknown };
  readonly _meta?: { readonly [key: string]: unknown };
}

/** Words. */
export interface MCPTextBlock extends AnyMCPBlock {
  readonly type: "text";
  readonly text: string;
}

/** A picture or a sound, as base64. */
export interface MCPMediaBlock extends AnyMCPBlock {
  readonly type: "image" | "audio";
  readonly data: string;
  readonly mimeType: string;
}

/** What a resource holds: text, or bytes as base64. */
export interface MCPResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
  readonly _meta?: { readonly [key: string]: unknown };
}

/** A resource that came with the answer. */
export interface MCPResourceBlock extends AnyMCPBlock {
  readonly type: "resource";
  readonly resource: MCPResourceContents;
}

/** Where a resource can be read. */
export interface MCPResourceLinkBlock extends AnyMCPBlock {
  readonly type: "resource_link";
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** One piece of an answer, tagged `type`. A block of a type not listed here is passed on as its server sent it. */
export type MCPContentBlock = MCPTextBlock | MCPMediaBlock | MCPResourceBlock | MCPResourceLinkBlock;
