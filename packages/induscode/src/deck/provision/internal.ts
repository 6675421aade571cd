// For the other rooms of this package; not exported from it.
export { usedEffect } from "./effect-of.ts";
