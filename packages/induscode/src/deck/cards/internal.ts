// For the other rooms of this package; not exported from it.
export { defineCard } from "./define-card.ts";
