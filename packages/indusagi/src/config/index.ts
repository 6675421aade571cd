export { MAX_CONFIG_BYTES, MAX_CONFIG_DEPTH } from "./budget.ts";
export { ConfigError, type ConfigErrorKind } from "./config-error.ts";
export {
  configPlaces,
  homeFolder,
  type PlaceOptions,
  projectConfigPath,
  userConfigPath,
} from "./config-places.ts";
export type {
  ConfigDiagnostic,
  ConfigPath,
  ConfigPlace,
  ConfigRow,
  ConfigScope,
  ConfigSource,
  LaunchAsWritten,
  ParsedConfig,
  TextReading,
} from "./contract.ts";
export {
  type LoadConfigOptions,
  type LoadedConfig,
  type LoadedFile,
  loadServerConfigs,
} from "./load-server-configs.ts";
export type { LoadedRow } from "./merge-rows.ts";
export { type ParseConfigOptions, parseServerConfig } from "./parse-server-config.ts";
export { readConfigText } from "./read-config-text.ts";
export { projectServerEntry, type ServerConfigFile, type ServerEntry } from "./server-entry.ts";
export { type WriteConfigOptions, writeServerConfig } from "./write-server-config.ts";
