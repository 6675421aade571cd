// For other rooms of this package; not exported.
export { CALL_TOTAL_MS } from "./contract/index.ts";
export { createResourceWatch, type ResourceWatch } from "./endpoint/index.ts";
