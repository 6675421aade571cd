export { DEFAULT_TIMEOUT, MAX_MS, secretsOf, toServerConfig } from "../client/translate-config.ts";
export type { ErrorSite } from "../errors/fault-table.ts";
export { type ErrorPlace, translateConfigProblem, translateError } from "../errors/translate-error.ts";
export { fromMcpContent, jsonText, toMcpContent } from "./content.ts";
