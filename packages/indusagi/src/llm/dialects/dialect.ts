import type { JsonSchema } from "../contract/index.ts";

/**
 * The name of a JSON Schema dialect.
 *
 * `portable` is valid JSON Schema 2020-12 without references and with an object at the root: the form to store.
 * The others are what one provider accepts as tool parameters. Each is made from `portable`.
 */
export type DialectName = "portable" | "anthropic" | "openai" | "gemini";

/**
 * Why something was lost:
 * - `malformed`: the keyword does not allow this value;
 * - `root`: the root was not an object schema, but a tool's arguments are always an object;
 * - `remote`, `unresolved`: a reference to another document (never fetched), or to nothing;
 * - `recursive`: a reference to a schema around it, cut after one round;
 * - `over_budget`: too deep, too many nodes or too many bytes;
 * - `moved`: the provider rejects the keyword, so the description contains it instead;
 * - `widened`: only a looser form is possible; `narrowed`: only a stricter one;
 * - `dropped`: the provider rejects the keyword, and a description would not help.
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

/** One thing that the dialect cannot express. */
export interface SchemaLoss {
  /** The position, as a JSON pointer into the schema with references inlined; the root is `""`. */
  readonly at: string;
  /** The keyword that was removed or changed; `""` for the schema itself. */
  readonly keyword: string;
  readonly why: LossReason;
}

/** A schema in a dialect, with the list of what was lost. */
export interface SchemaProjection {
  /** The same object as given, if nothing had to change. */
  readonly schema: JsonSchema;
  readonly losses: readonly SchemaLoss[];
}
