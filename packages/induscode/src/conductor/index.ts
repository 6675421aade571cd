export { type KeptRules, openRuleFile } from "./approve/rule-file.ts";
export type {
  CallPreview,
  ContextUse,
  PlanAnswer,
  PlanQuestion,
  RewindTarget,
  Session,
  SessionApproval,
  SessionContent,
  SessionEvent,
  SessionRewind,
  SessionRewindOptions,
  SessionTurn,
  SessionUsage,
  SessionUser,
} from "./contract.ts";
export { SessionError, type SessionErrorKind } from "./contract.ts";
export { createSession } from "./create-session.ts";
export type { SessionModels, SessionParts } from "./parts/session-parts.ts";
export type { FileHistory, HistoryRewind, KeptFolder, PathReason } from "./rewind/tree-snapshots.ts";
export { openTreeSnapshots, type SnapshotOptions, type TreeSnapshots } from "./rewind/tree-snapshots.ts";
export { createTaskRunner, type TaskRunner, type TaskSession } from "./task/task-runner.ts";
export { findSession, type KnownSession, listSessions } from "./transcript/find-session.ts";
export { type ReadTranscript, readTranscript } from "./transcript/read-transcript.ts";
export { resultFolder } from "./transcript/result-files.ts";
