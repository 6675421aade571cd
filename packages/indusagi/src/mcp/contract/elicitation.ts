import type { JsonSchema } from "../../llm/index.ts";

/** A server wants something from the person behind the call. */
export interface MCPElicitRequest {
  readonly serverName: string;
  /** What to tell the person. */
  readonly message: string;
  /** Absent means a form. */
  readonly mode?: "form" | "url";
  /** The form's fields, when it is one. */
  readonly requestedSchema?: JsonSchema;
  /** The page to visit, when it is one. */
  readonly url?: string;
  readonly elicitationId?: string;
}

/** What the person did about it. */
export interface MCPElicitResult {
  readonly action: "accept" | "decline" | "cancel";
  /** The fields, when a form was accepted. */
  readonly content?: { readonly [field: string]: unknown };
}

/** Puts a server's request before a person. */
export type MCPElicitationHandler = (
  request: MCPElicitRequest,
  signal?: AbortSignal,
) => Promise<MCPElicitResult>;
