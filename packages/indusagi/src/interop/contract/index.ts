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
export type { RefusedRequest, TokenProvider } from "./credentials.ts";
export {
  type FaultCause,
  type FaultDetails,
  FaultKind,
  isProtocolFault,
  ProtocolFault,
  protocolFault,
} from "./fault.ts";
export type { Audience, FleetLog, FleetNotification } from "./feed.ts";
export type {
  AcquireOptions,
  CatalogueChange,
  EndpointStatus,
  EndpointTraffic,
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
export type { StartHistory } from "./start-history.ts";
export type {
  LoginRecord,
  StoredJson,
  StoredLogin,
  TokenAccount,
  TokenKey,
  TokenSet,
  TokenStore,
} from "./token-store.ts";
export type { ReviewedListing, ReviewedTools, ToolReview, WithheldTool } from "./tool-review.ts";
export type { MessageTransport, RpcMessage, SendOptions } from "./transport.ts";
export type { WireEvent, WireMessage } from "./wire-event.ts";
