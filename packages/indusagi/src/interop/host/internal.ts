// For the rooms of this package alone.
export { checkArguments } from "./argument-check.ts";
