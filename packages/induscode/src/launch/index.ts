export type { GivenArgument } from "./given-arguments.ts";
export type { Invocation, ServeRequest, ServerToolRequest, ServeWay } from "./invocation.ts";
export { parseArguments } from "./parse-arguments.ts";
