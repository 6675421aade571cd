// Loaded only by commands that call a tool, because it needs a part of the framework.
export { callWords } from "./call-words.ts";
export { inputProblem } from "./input-problem.ts";
export { typedInput } from "./typed-input.ts";
