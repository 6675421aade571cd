export { openStateFolder, type StateFolder } from "./open-state-folder.ts";
export { StateError, type StateErrorKind } from "./state-error.ts";
export { type StatePlaceOptions, stateRoot, workspaceFolderName } from "./state-place.ts";
