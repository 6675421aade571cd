export {
  connectedText,
  disconnectedText,
  rowIn,
  type WritePlace,
  writePlace,
} from "./connect/connection.ts";
export { type ClientEdit, editClientText } from "./connect/edit-client-text.ts";
export { GATEWAY_NAME, type GatewayLaunch, gatewayRow } from "./connect/gateway-row.ts";
export { type ImportStep, type OwnServer, planImport } from "./import/plan-import.ts";
export type { ClientFile, ClientServer, InputQuestion } from "./read/client-server.ts";
export { inputIds, renameInputs } from "./read/client-variables.ts";
export { isGateway } from "./read/is-gateway.ts";
export { readClient } from "./read/read-client.ts";
export type { Client, ClientId, ClientPlace, ClientScope, ClientWorld } from "./table/client.ts";
export { CLIENT_IDS, CLIENTS, clientById } from "./table/client-table.ts";
