export { createProviderHost, HOST_NAME, HOST_VERSION } from "./create-provider-host.ts";
export type { ProviderHostOptions } from "./host-core.ts";
export { sharedSecret, type TokenVerifier, type VerifiedToken } from "./http/bearer.ts";
export type { HttpLimits, HttpServeOptions } from "./http/http-options.ts";
export { type HttpListener, serveHttp } from "./http/serve-http.ts";
export type { JsonBudget } from "./json-budget.ts";
export type { ParkingLimits } from "./parked-calls.ts";
export { type StdioServeOptions, serveStdio } from "./serve-stdio.ts";
