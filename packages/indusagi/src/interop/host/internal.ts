// For other rooms of this package; not exported.
export { checkArguments } from "./offer/argument-check.ts";
