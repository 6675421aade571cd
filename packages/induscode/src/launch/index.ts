export type { GivenArgument } from "./given-arguments.ts";
export type { Invocation, ServeRequest, ServerToolRequest, ServeTransport } from "./invocation.ts";
export { parseArguments } from "./parse-arguments.ts";
