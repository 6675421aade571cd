export type { FlagGroup, FlagKind, FlagSpec } from "./flag-spec.ts";
export { flagSpecs } from "./flag-table.ts";
export type { Invocation } from "./invocation.ts";
