export { type FoundServers, findServers, type RowProblem } from "./find-servers.ts";
