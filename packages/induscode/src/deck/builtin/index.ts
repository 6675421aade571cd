export { BuiltinCard, type BuiltinLabel } from "./builtin-card.ts";
export {
  type BridgeBuilder,
  type BuiltinDescriptor,
  buildBuiltin,
  buildBuiltinsForProfile,
  builtinBridge,
  builtinCards,
  builtinDescriptors,
  builtinIds,
  builtinProfiles,
} from "./builtin-table.ts";
