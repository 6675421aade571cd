import type { JsonSchema } from "../contract/index.ts";

/**
 * A form of JSON Schema that someone accepts.
 *
 * `portable` is valid JSON Schema 2020-12 with nothing left to look up and an object at the root: the form to keep.
 * The others are what one provider's tool parameters may hold, and every one of them starts from `portable`.
 */
export type DialectName = "portable" | "anthropic" | "openai" | "gemini";

/**
 * Why something was given up:
 * - `malformed`: the value is not what its keyword may hold;
 * - `root`: the arguments of a tool are an object, and the schema said otherwise;
 * - `remote`, `unresolved`: a reference that leads elsewhere (never fetched), or nowhere;
 * - `recursive`: a reference to what is being described already, cut after one round;
 * - `over_budget`: too deep, too many nodes or too many bytes;
 * - `moved`: the provider rejects the keyword, so it became words in the description;
 * - `widened`: the provider has only a looser form; `narrowed`: only a tighter one;
 * - `dropped`: the provider rejects the keyword, and words would not help.
 */
export type LossReason =
  | "malformed"
  | "root"
  | "remote"
  | "unresolved"
  | "recursive"
  | "over_budget"
  | "moved"
  | "widened"
  | "narrowed"
  | "dropped";

/** One thing a projection could not say in the words of the dialect. */
export interface SchemaLoss {
  /** Where, as a JSON pointer into the schema with its references followed; the root is `""`. */
  readonly at: string;
  /** The keyword that was given up or changed; `""` for the node itself. */
  readonly keyword: string;
  readonly why: LossReason;
}

/** A schema in the words of a dialect, with the list of what those words could not hold. */
export interface SchemaProjection {
  /** The very object that was given, when nothing had to change. */
  readonly schema: JsonSchema;
  readonly losses: readonly SchemaLoss[];
}
