// For the other rooms of this package; not exported from it.

export { createSourceTable, lookUpTool } from "./box/table-box.ts";
export { takeArguments } from "./call-arguments.ts";
export { isWantedLevel, logLevelOf, mostVerboseLevel } from "./log-level.ts";
export { missingAbility } from "./missing-ability.ts";
export { MUTATING_NAMES, NATIVE_NAMES, type NativeName, READ_ONLY_NAMES } from "./native-names.ts";
