interface AnyMCPBlock {
  readonly annotations?: { readonly [hint: string]: unknown };
  readonly _meta?: { readonly [key: string]: unknown };
}

export interface MCPTextBlock extends AnyMCPBlock {
  readonly type: "text";
  readonly text: string;
}

/** An image or audio, as base64. */
export interface MCPMediaBlock extends AnyMCPBlock {
  readonly type: "image" | "audio";
  readonly data: string;
  readonly mimeType: string;
}

/** The contents of a resource: text, or bytes as base64. */
export interface MCPResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
  readonly _meta?: { readonly [key: string]: unknown };
}

/** A resource embedded in an answer. */
export interface MCPResourceBlock extends AnyMCPBlock {
  readonly type: "resource";
  readonly resource: MCPResourceContents;
}

/** A reference to a resource that can be read from the server. */
export interface MCPResourceLinkBlock extends AnyMCPBlock {
  readonly type: "resource_link";
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** One part of an answer. Blocks of any other `type` are passed on unchanged. */
export type MCPContentBlock = MCPTextBlock | MCPMediaBlock | MCPResourceBlock | MCPResourceLinkBlock;
