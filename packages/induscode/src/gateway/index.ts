export { listingPatienceMs } from "./client-patience.ts";
export { EMPTY_PROVIDERS } from "./empty-providers.ts";
export { gatewayBox } from "./gateway-box.ts";
export { type HttpTransport, listen, prepareHttp } from "./listen.ts";
export { pacedBox } from "./paced-box.ts";
export { patientBox } from "./patient-box.ts";
