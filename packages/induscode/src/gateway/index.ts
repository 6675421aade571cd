export { gatewayBox } from "./gateway-box.ts";
export { type HttpTransport, listen, prepareHttp } from "./listen.ts";
