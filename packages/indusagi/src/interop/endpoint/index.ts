export {
  type AnswerKeeper,
  keepAnswer,
  type LaunchPlace,
  linkedTransports,
  type StdioTransportOptions,
} from "../wire/index.ts";
export { CLIENT_NAME, CLIENT_VERSION } from "./connect/client-identity.ts";
export { createEraMemory, type EraMemory, serverKey } from "./connect/era-memory.ts";
export { exactPackageVersion, installedPackage } from "./connect/installed-package.ts";
export type { EndpointOptions, SchemaProfile } from "./connection-context.ts";
export { removalCommand } from "./faults/damaged-npx-cache.ts";
export { httpStatusMeaning } from "./faults/http-statuses.ts";
export { networkFailure } from "./faults/network-failures.ts";
export { untrustedServer } from "./faults/open-faults.ts";
export { shownStderr } from "./faults/process-remains.ts";
export { symptomsOf } from "./faults/symptoms.ts";
export { passVariables, setVariables } from "./faults/unpassed-variables.ts";
export { folderRoots } from "./folder-roots.ts";
export { describeOptions } from "./list/describe-tool.ts";
export { toolsFromDefinitions } from "./list/list-tools.ts";
export { readPages } from "./list/read-pages.ts";
export { isSameDefinition } from "./list/tool-catalogue.ts";
export { unknownToolNotes } from "./list/unknown-tool-names.ts";
export { createResourceWatch, type ResourceWatch } from "./list/watch-resources.ts";
export { createServerEndpoint, type InjectedTransport, ServerEndpointImpl } from "./server-endpoint.ts";
