/** One request to run a tool. */
export interface ToolCall {
  /** Chosen by the caller and unique among its running calls. The outcome has the same id. */
  readonly id: string;
  /** The tool's name exactly as in its descriptor. */
  readonly name: string;
  /** The arguments as received, not coerced or checked. */
  readonly input: unknown;
  /** The request's `_meta` as received, without the progress token and the keys that MCP reserves. */
  readonly meta?: { readonly [key: string]: unknown };
}
