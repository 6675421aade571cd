export { CLIENT_NAME, CLIENT_VERSION } from "./client-identity.ts";
export { createServerEndpoint } from "./create-server-endpoint.ts";
export type { EndpointOptions, SchemaProfile, TokenProvider } from "./endpoint-options.ts";
export { createEraMemory, type EraMemory } from "./era-memory.ts";
export { symptomsOf } from "./error-faults.ts";
export { meaningOf } from "./http-statuses.ts";
export { linkedTransports } from "./linked-transports.ts";
export { type InjectedTransport, ServerEndpointImpl } from "./server-endpoint.ts";
export type { StdioTransportOptions } from "./stdio-transport.ts";
