/** An object as a file has it. */
export interface JsonObject {
  readonly [member: string]: unknown;
}
