// For the rooms of this package only. Loaded when it is used: it needs a part of the framework.
export { helpText } from "./help.ts";
export { inputProblem } from "./input-problem.ts";
export { typedInput } from "./typed-input.ts";
