export { gatewayBox, MAX_NAME_CHARS } from "./gateway-box.ts";
export { type HttpTransport, listen, prepareHttp } from "./listen.ts";
