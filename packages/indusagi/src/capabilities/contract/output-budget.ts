/** How much text a tool may hand to a model, and which part of it matters. */
export interface OutputBudget {
  /** Which part is kept: the beginning, the end, or both ends. */
  readonly kind: "head" | "tail" | "middle";
  /** UTF-8 bytes kept at most, the notice not counted. */
  readonly maxBytes: number;
  /** The words put where bytes were dropped. */
  readonly notice?: (omittedBytes: number) => string;
}
