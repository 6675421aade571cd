export { AccessError, type AccessErrorKind } from "./access/access-error.ts";
export { type AddedToken, type GatewayTokens, openTokenStore } from "./access/gateway-tokens.ts";
export {
  bearerToken,
  type HttpAccess,
  type HttpAccessOptions,
  httpAccess,
  verifierFrom,
} from "./access/http-access.ts";
export { tokenIn } from "./access/principal.ts";
export { type CallPlaces, type OfferBox, type TokenAccess, tokenAccess } from "./access/token-access.ts";
export type { TokenGrant, TokenRecord } from "./access/token-record.ts";
export { askClient } from "./ask-client.ts";
export { listingPatienceMs } from "./client-patience.ts";
export { DEFAULT_HOST, type HttpTransport, listen, type PreparedHttp, prepareHttp } from "./listen.ts";
export { type ListingCost, listingCost } from "./listing-cost.ts";
export { byExtensions, type OfferedBoxOptions, offeredBox, type ToolsMode } from "./offered-box.ts";
export { shapeOf } from "./operations/argument-shape.ts";
export { type GatewayMetrics, gatewayMetrics } from "./operations/gateway-metrics.ts";
export { operationPages } from "./operations/health.ts";
export { observedBox } from "./operations/observed-box.ts";
export { observedRelay } from "./operations/observed-relay.ts";
export type { CallObserver } from "./operations/recorded-call.ts";
export { type PaceOptions, pacedBox } from "./paced-box.ts";
export { listingWait, type PatientBoxOptions, patientBox } from "./patient-box.ts";
export {
  openPreviews,
  type Previews,
  type ResultParts,
  type ResultsElsewhere,
} from "./previews/open-previews.ts";
export { parseRoutePath, type Route, routePath } from "./routes/route.ts";
export { STATUS_TOOL, type StatusBox, type StatusBoxOptions, statusBox } from "./status-box.ts";
