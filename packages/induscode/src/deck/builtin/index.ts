export { buildBuiltin, buildBuiltinsForProfile } from "./build-builtin.ts";
export { BuiltinCard, type BuiltinLabel } from "./builtin-card.ts";
export {
  type BridgeBuilder,
  type BuiltinDescriptor,
  builtinBridge,
  builtinCards,
  builtinDescriptors,
  builtinIds,
  builtinProfiles,
} from "./builtin-table.ts";
