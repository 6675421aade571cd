export {
  type BuildFn,
  type Capability,
  type CapabilityCard,
  type CapabilityId,
  type CapabilitySource,
  type Card,
  COMMAND_TOOLS,
  capabilityId,
  inProfile,
  type Profile,
  type ToolEffect,
} from "./card.ts";
export { DeckFault, type DeckFaultKind, type DeckResult } from "./deck-fault.ts";
export type {
  CheckpointStore,
  DeckContext,
  DeckFramework,
  DelegateAgent,
  DelegateRequest,
  DelegateRunner,
  FileState,
  HandleCall,
  MemoryStore,
  PreviousState,
  SaasAction,
  SaasGatewayPort,
  SaasQuery,
} from "./handles.ts";
export { markReader, readerEnvironmentOf } from "./reader-calls.ts";
