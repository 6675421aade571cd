export { linkedTransports, type StdioTransportOptions } from "../wire/index.ts";
export { CLIENT_NAME, CLIENT_VERSION } from "./connect/client-identity.ts";
export { createEraMemory, type EraMemory } from "./connect/era-memory.ts";
export type { EndpointOptions, SchemaProfile, TokenProvider } from "./endpoint-options.ts";
export { symptomsOf } from "./faults/error-faults.ts";
export { httpStatusMeaning } from "./faults/http-statuses.ts";
export { readPages } from "./list/read-pages.ts";
export { isSameDefinition } from "./list/same-definition.ts";
export { createServerEndpoint, type InjectedTransport, ServerEndpointImpl } from "./server-endpoint.ts";
