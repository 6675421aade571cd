export type { Client, ClientId, ClientPlace, ClientWorld } from "./client.ts";
export type { ClientFile, ClientServer, InputQuestion } from "./client-server.ts";
export { CLIENT_IDS, CLIENTS, clientById } from "./client-table.ts";
export { renameInputs } from "./client-variables.ts";
export {
  connectedText,
  disconnectedText,
  editClientText,
  rowIn,
  type WritePlace,
  writePlace,
} from "./connection.ts";
export type { GatewayLaunch } from "./gateway-row.ts";
export { isGateway } from "./gateway-row.ts";
export { type ImportStep, planImport } from "./plan-import.ts";
export { readClient } from "./read-client.ts";
