export { createProviderHost, HOST_NAME, HOST_VERSION } from "./create-provider-host.ts";
export type { ProviderHostOptions } from "./host-core.ts";
export type { ParkingLimits } from "./questions/parked-calls.ts";
export type { JsonBudget } from "./request/json-budget.ts";
export { sharedSecret, type TokenVerifier, type VerifiedToken } from "./serve/http/admit/bearer.ts";
export type {
  HttpLimits,
  HttpListener,
  HttpListenerStats,
  HttpPage,
  HttpPageAnswer,
  HttpRoutes,
  HttpServeOptions,
} from "./serve/http/http-options.ts";
export { serveHttp } from "./serve/http/serve-http.ts";
export { type StdioServeOptions, serveStdio } from "./serve/stdio/serve-stdio.ts";
