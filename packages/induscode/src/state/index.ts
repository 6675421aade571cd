export { type InputStore, openInputStore } from "./input-store.ts";
export {
  fittingContent,
  hashNamedFiles,
  type JsonFile,
  openJsonFile,
  type StoreReading,
  type StoreSchema,
  valueOrNothing,
  versionedJson,
} from "./json-file.ts";
export { keepBackup } from "./keep-backup.ts";
export {
  listStateFolders,
  openSharedFolder,
  openStateFolder,
  openStateRoot,
  type StateFolder,
} from "./open-state-folder.ts";
export { StateError, type StateErrorKind } from "./state-error.ts";
export {
  cacheRoot,
  hashedName,
  type StatePlaceOptions,
  stateRoot,
  workspaceFolderName,
} from "./state-place.ts";
