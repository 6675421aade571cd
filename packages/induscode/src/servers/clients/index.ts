export type { Client, ClientId, ClientWorld } from "./client.ts";
export type { ClientFile, ClientServer, InputQuestion } from "./client-server.ts";
export { CLIENT_IDS, CLIENTS, clientById } from "./client-table.ts";
export { renameInputs } from "./client-variables.ts";
export { connectedText, disconnectedText, rowIn, type WritePlace, writePlace } from "./connection.ts";
export { editClientText } from "./edit-client-text.ts";

export { isGateway } from "./is-gateway.ts";
export { type ImportStep, planImport } from "./plan-import.ts";
export { readClient } from "./read-client.ts";
