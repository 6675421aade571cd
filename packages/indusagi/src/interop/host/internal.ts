// For the rooms of this package alone.
export { checkArguments } from "./offer/argument-check.ts";
