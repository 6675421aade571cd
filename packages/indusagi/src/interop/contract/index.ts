export {
  type BridgeConfig,
  type ConnectionSharing,
  type OAuthSettings,
  type PinLevel,
  ServerConfig,
  type ServerTimeouts,
  type SseServerConfig,
  type StdioServerConfig,
  type StreamableHttpServerConfig,
  type ToolOverride,
  type TransportKind,
} from "./config.ts";
export {
  type LoginRecord,
  missingRights,
  type RefusedRequest,
  type StoredJson,
  type StoredLogin,
  type TokenAccount,
  type TokenKey,
  type TokenProvider,
  type TokenSet,
  type TokenStore,
} from "./credentials.ts";
export { Extension } from "./extensions.ts";
export {
  type FaultCause,
  type FaultDetails,
  FaultKind,
  isProtocolFault,
  ProtocolFault,
  protocolFault,
} from "./fault.ts";
export type {
  AcquireOptions,
  Audience,
  CatalogueChange,
  EndpointStatus,
  EndpointTraffic,
  FleetLog,
  FleetNotification,
  FleetStatus,
  InvokeOptions,
  InvokeResult,
  Lease,
  MountedBridge,
  QuestionAnswerer,
  QuestionAsker,
  ReloadReport,
  ServerEndpoint,
  ServerFleet,
  ServerState,
  StartHistory,
  ToolListing,
} from "./handles.ts";
export type {
  BoxSource,
  ClientFeed,
  ClientObserver,
  CompletionRequest,
  ConnectedClient,
  HostClient,
  HostIntroduction,
  HostProviders,
  ListRequest,
  PromptProvider,
  ProviderHost,
  ProviderHostInfo,
  ProviderRequest,
  ProviderSource,
  RawResult,
  ResourceProvider,
  RunningProviderHost,
  SkillProvider,
} from "./host.ts";
export { type EndpointPhase, isTerminalPhase, isUsablePhase, NEXT_PHASES } from "./phase.ts";
export type {
  ClashRecord,
  ItemKind,
  PromptRequest,
  Relay,
  RelayListOptions,
  RelayOptions,
  ResourceOwners,
  ServerItems,
} from "./relay.ts";
export type {
  ListedItem,
  RemoteCallResult,
  RemoteTool,
  RemoteToolRef,
  ServerListing,
  SkippedTool,
  ToolDefinition,
} from "./remote-tool.ts";
export type { ProtocolEra, ServerSession, SessionNotification, SessionRequestOptions } from "./session.ts";
export {
  SKILL_LIMITS,
  type SkillEntry,
  type SkillFile,
  type SkillRequest,
} from "./skills.ts";
export type { ReviewedListing, ReviewedTools, ToolReview, WithheldTool } from "./tool-review.ts";
export {
  LOG_METHOD,
  type MessageTransport,
  MetaKey,
  type RpcMessage,
  type SendOptions,
  type WireEvent,
  type WireMessage,
} from "./transport.ts";
