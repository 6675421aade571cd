/** One request to run a tool. */
export interface ToolCall {
  /** Chosen by whoever calls; the outcome carries the same. Unique among that caller's calls in flight. */
  readonly id: string;
  /** The tool's name in the box, exactly as its descriptor has it. */
  readonly name: string;
  /** The arguments as received: nobody has coerced or checked them yet. */
  readonly input: unknown;
  /** The request's `_meta` as received, without the progress token and the keys the protocol reserves. */
  readonly meta?: { readonly [key: string]: unknown };
}
