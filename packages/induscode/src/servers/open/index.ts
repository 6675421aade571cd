export type { OpenServers } from "./mount-servers.ts";
export { type OpenServersOptions, openServers } from "./open-servers.ts";
export { NO_SERVERS, ownToolNames, type PatternUse, reportPatterns, ruleUses } from "./report-patterns.ts";
export { requiredProblem } from "./required-servers.ts";
