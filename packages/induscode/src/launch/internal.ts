// For the rooms of this package only.
export { helpText } from "./help.ts";
export { typedInput } from "./typed-input.ts";
