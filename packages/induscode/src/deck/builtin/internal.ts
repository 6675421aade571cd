// For the other rooms of this package; not exported from it.
export { annotatedEffect } from "./annotated-effect.ts";
