export { fromMcpContent, jsonText, toMcpContent } from "./content.ts";
export { codeOf, type ErrorSite, type Trouble } from "./fault-table.ts";
export { DEFAULT_TIMEOUT, secretsOf, toServerConfig } from "./server-config.ts";
export {
  type ConfigProblem,
  type ErrorPlace,
  translateConfigProblem,
  translateError,
} from "./translate-error.ts";
