/** Any JSON value. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/**
 * A JSON Schema as an object of keywords. Keyword values are `unknown` because schemas come from untrusted servers:
 * code must check a value before it uses it.
 */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}
