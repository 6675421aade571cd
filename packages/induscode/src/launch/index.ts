export { type Invocation, parseArguments } from "./parse-arguments.ts";
