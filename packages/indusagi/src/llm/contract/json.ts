/** A value JSON can hold. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/**
 * A JSON Schema as an object of keywords. What a keyword holds is unknown until it is looked at:
 * schemas come from strangers, and a type here would only promise what nobody checked.
 */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}
