export {
  type BuildFn,
  type CapabilityCard,
  type CapabilityId,
  capabilityId,
  inProfile,
  type Profile,
} from "./capability-card.ts";
export { type Capability, type CapabilitySource, type Card, COMMAND_TOOLS, type ToolEffect } from "./card.ts";
export type { CheckpointStore, FileState, PreviousState } from "./checkpoint-store.ts";
export type { DeckContext, DeckFramework } from "./deck-context.ts";
export { DeckFault, type DeckFaultKind, type DeckResult } from "./deck-fault.ts";
export type {
  DelegateAgent,
  DelegateRequest,
  DelegateRunner,
  HandleCall,
  MemoryStore,
  SaasAction,
  SaasGatewayPort,
  SaasQuery,
} from "./handles.ts";
export { markReader, readerEnvironmentOf } from "./reader-calls.ts";
