// Loaded only by commands that call a tool, because it needs a part of the framework.

export { inputProblem } from "./input-problem.ts";
export { callWords, typedInput } from "./typed-input.ts";
