export { type PrivateNetwork, privateNetworkOf, systemResolveHost } from "./addresses/address-guard.ts";
export { bareHost, isPrivateName } from "./addresses/host-names.ts";
export { MAX_TIMER_MS } from "./clock.ts";
export { hasProxy, type ProxySettings, proxySettings } from "./environment/proxy-settings.ts";
export { type CommandReading, readCommand } from "./environment/read-command.ts";
export { InFlight } from "./in-flight.ts";
export { isRecord, sameJson } from "./json.ts";
export {
  type ProcessorUse,
  readProcessorUse,
  readTreeWork,
  type TreeWork,
} from "./process-tree/index.ts";
export { REDACTED } from "./redact/known-secrets.ts";
export { redactText } from "./redact/redact-text.ts";
export { Redactor } from "./redact/redactor.ts";
export { SECRET_OPTION, secretValues } from "./redact/secret-values.ts";
export {
  type CompileLinear,
  createBoundedPatterns,
  type LinearProgram,
  linearProgram,
  loadLinearRegex,
  type MatchPattern,
} from "./regex/linear-regex.ts";
export { type AbortListener, addAbortListener, removeAbortListener } from "./signals/on-abort.ts";
export { onStreamEnd } from "./signals/on-stream-end.ts";
export { giveBackController, releaseSignal, takeController } from "./signals/reused-signals.ts";
export { clampText, wholeCharactersEnd, wholeCharactersStart } from "./text/clamp-text.ts";
export { textEnd } from "./text/cut-text.ts";
export { magicFormat } from "./text/magic-bytes.ts";
export { nextTurn } from "./time-slices.ts";
export { PACKAGE_VERSION } from "./version.ts";
export { definedMembers, withDefaults } from "./with-defaults.ts";
