export type {
  GivenArgument,
  Invocation,
  ListServersRequest,
  ServeRequest,
  ServerToolRequest,
  ServeTransport,
  ToolRequest,
  UsageProblem,
  WarmRequest,
} from "./invocation.ts";
export { parseArguments } from "./parse-arguments.ts";
