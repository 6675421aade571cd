// For other rooms of this package; not exported.
export { createResourceWatch, type ResourceWatch } from "./endpoint/index.ts";
