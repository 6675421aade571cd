export type {
  ConfigDiagnostic,
  ConfigPath,
  ConfigPlace,
  ConfigProfile,
  ConfigRow,
  ConfigScope,
  ConfigSource,
  LaunchAsWritten,
  NativeProfile,
  ParsedConfig,
  TextReading,
} from "./contract.ts";
export { ConfigError, type ConfigErrorKind, MAX_CONFIG_BYTES, MAX_CONFIG_DEPTH } from "./contract.ts";
export { approvalHash, approvalParts, launchHash } from "./launch-hash.ts";
export { type ParseConfigOptions, parseServerConfig } from "./parse/parse-server-config.ts";
export { LAUNCH_MEMBERS } from "./parse/row-members.ts";
export {
  configPlaces,
  homeFolder,
  type PlaceOptions,
  projectConfigPath,
  userConfigPath,
} from "./places/config-places.ts";
export { type LastGoodOptions, type LastGoodRows, lastGoodRows, lastGoodTexts } from "./places/last-good.ts";
export {
  type LoadConfigOptions,
  type LoadedConfig,
  type LoadedFile,
  loadServerConfigs,
} from "./places/load-server-configs.ts";
export type { LoadedRow } from "./places/merge-rows.ts";
export { readConfigText } from "./places/read-config-text.ts";
export { type EditedFile, type EditFileOptions, editConfigFile } from "./write/edit-config-file.ts";
export { editServerRow, type RowChange, type WrittenRow, writtenRows } from "./write/edit-server-row.ts";
export {
  type ConfigEdit,
  type ConfigValue,
  configLine,
  editConfigValues,
  readConfigValue,
} from "./write/edit-values.ts";
export type { PlainRow } from "./write/rows-in-text.ts";
export {
  type EntryValue,
  projectServerEntry,
  type ServerConfigFile,
  type ServerEntry,
} from "./write/server-entry.ts";
export { type WriteConfigOptions, writeServerConfig } from "./write/write-server-config.ts";
