export { fromMcpContent, jsonText, toMcpContent } from "./content.ts";
export type { ErrorSite } from "./fault-table.ts";
export { DEFAULT_TIMEOUT, LONGEST_MS, secretsOf, toServerConfig } from "./server-config.ts";
export {
  type ErrorPlace,
  translateConfigProblem,
  translateError,
} from "./translate-error.ts";
