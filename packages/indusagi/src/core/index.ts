export {
  BlockedAddressError,
  guardedLookup,
  isPublicAddress,
  plainLookup,
  type ResolveHost,
  requirePublicAddresses,
} from "./addresses/address-guard.ts";
export { isLoopbackHost } from "./addresses/host-names.ts";
export { type BackoffOptions, backoffMs } from "./backoff.ts";
export { type Clock, createManualClock, isoTime, type ManualClock, nowMs, systemClock } from "./clock.ts";
export { bytesHash, contentHash } from "./content-hash.ts";
export { CoreError, type CoreErrorOptions, describeError, errorCode } from "./core-error.ts";
export { type LoginPathOptions, lacksLoginPath, loginPath } from "./environment/login-path.ts";
export { type ProxySettings, proxySettings } from "./environment/proxy-settings.ts";
export { type Environment, safeEnvironment } from "./environment/safe-env.ts";
export {
  type AsyncReplacement,
  type FileDisk,
  isInside,
  isRepository,
  isTempName,
  type PrivateProblem,
  type Roots,
  readPrivateFile,
  readPrivateText,
  replaceFileAsync,
  replaceFileSync,
  type SyncReplacement,
  tempName,
  workTreeOf,
} from "./files/index.ts";
export { canonicalJson, isRecord } from "./json.ts";
export { createSingleFlight, KeyedQueue, type SingleFlight } from "./keyed-queue.ts";
export { callListener, Listeners } from "./listeners.ts";
export {
  type FileLock,
  type LockDisk,
  type LockPlace,
  type LockRefusal,
  type LockWaitOptions,
  tryFileLock,
  withFileLock,
} from "./locks/file-lock.ts";
export {
  leaveWill,
  type OutputListener,
  type ProcessRow,
  type ProcessTree,
  type ProtectionLevel,
  protectionLevel,
  readProcRow,
  readTreeUse,
  SpawnError,
  startTree,
  type TreeEnd,
  type TreeEndOptions,
  type TreeExit,
  TreeInputError,
  type TreeOptions,
  type TreeUse,
} from "./process-tree/index.ts";
export { Redactor } from "./redact/redactor.ts";
export { type SecretSource, secretValues } from "./redact/secret-values.ts";
export { createEventQueue, type EventQueue, type EventQueueOptions } from "./signals/event-queue.ts";
export { joinSignals } from "./signals/join-signals.ts";
export { onAbort } from "./signals/on-abort.ts";
export {
  type DeadlineOptions,
  type SettlesWithinOptions,
  settlesWithin,
  untilAborted,
  withDeadline,
} from "./signals/settles-within.ts";
export { closestNames } from "./text/closest-names.ts";
export { cutText, shortenText } from "./text/cut-text.ts";
export {
  type EscapeOptions,
  escapeForDisplay,
  plainText,
  shellWord,
  showName,
} from "./text/escape-for-display.ts";
export { type MagicFormat, magicFormat } from "./text/magic-bytes.ts";
export { describeExit, showDuration } from "./text/show-duration.ts";
export { textTable } from "./text/text-table.ts";
export { TimeSlices, type TimeSlicesOptions } from "./time-slices.ts";
export { createUlidMinter, mintUlid, type UlidMinter, type UlidMinterOptions, ulidTime } from "./ulid.ts";
