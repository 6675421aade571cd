export { type AddedToken, type GatewayTokens, openTokenStore } from "./access/gateway-tokens.ts";
export {
  bearerToken,
  type HttpAccess,
  type HttpAccessOptions,
  httpAccess,
  verifierFrom,
} from "./access/http-access.ts";
export { type CallPlaces, type OfferBox, type TokenAccess, tokenAccess } from "./access/token-access.ts";
export type { TokenGrant, TokenRecord } from "./access/token-record.ts";
export { AccessError, type AccessErrorKind, tokenIn } from "./access/token-record.ts";
export { listingPatienceMs } from "./client-limits.ts";
export { DEFAULT_HOST, type HttpTransport, listen, type PreparedHttp, prepareHttp } from "./listen.ts";
export {
  byExtensions,
  type ListingCost,
  listingCost,
  type OfferedBoxOptions,
  offeredBox,
  type ToolsMode,
} from "./offered-box.ts";
export { shapeOf } from "./operations/argument-shape.ts";
export { type GatewayMetrics, gatewayMetrics } from "./operations/gateway-metrics.ts";
export { operationPages } from "./operations/health.ts";
export { observedBox } from "./operations/observed-box.ts";
export { observedRelay } from "./operations/observed-relay.ts";
export type { CallObserver } from "./operations/recorded-call.ts";
export {
  listingWait,
  type PaceOptions,
  type PatientBoxOptions,
  pacedBox,
  patientBox,
} from "./patient-box.ts";
export {
  openPreviews,
  type Previews,
  type ResultParts,
  type ResultsElsewhere,
} from "./previews/open-previews.ts";
export { parseRoutePath, type Route, routePath } from "./routes/route.ts";
export { STATUS_TOOL, type StatusBox, type StatusBoxOptions, statusBox } from "./status-box.ts";
