export type {
  GivenArgument,
  Invocation,
  ServeRequest,
  ServerToolRequest,
  ServeTransport,
  UsageProblem,
} from "./invocation.ts";
export { parseArguments } from "./parse-arguments.ts";
