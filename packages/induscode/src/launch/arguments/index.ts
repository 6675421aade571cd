// Loaded only by commands that call a tool, because it needs a part of the framework.
export { callWords, typedInput } from "./given-arguments.ts";
export { inputProblem } from "./input-problem.ts";
