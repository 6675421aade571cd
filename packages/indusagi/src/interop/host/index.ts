export { sharedSecret, type TokenVerifier, type VerifiedToken } from "./admit/bearer.ts";
export { createProviderHost, HOST_NAME, HOST_VERSION } from "./create-provider-host.ts";
export type { ProviderHostOptions } from "./host-core.ts";
export type {
  ElsewhereRequest,
  HttpLimits,
  HttpListener,
  HttpListenerStats,
  HttpPage,
  HttpPageAnswer,
  HttpRoutes,
  HttpServeOptions,
  HttpSite,
  SessionsElsewhere,
} from "./http/http-options.ts";
export { serveHttp } from "./http/serve-http.ts";
export type { ParkingLimits } from "./questions/parked-calls.ts";
export type { JsonBudget } from "./request/json-budget.ts";
export { type StdioServeOptions, serveStdio } from "./serve-stdio.ts";
