export type {
  GivenArgument,
  Invocation,
  ServeRequest,
  ServerToolRequest,
  ServeTransport,
  ToolRequest,
  UsageProblem,
} from "./invocation.ts";
export { parseArguments } from "./parse-arguments.ts";
