import type { ReadStateHandle } from "indusagi/capabilities";
import type { Clock } from "indusagi/core";
import type { ModelPort, ThinkingLevel, ToolDescriptor } from "indusagi/llm";
import type { ToolBox, ToolCall } from "indusagi/runtime";
import type { Policy } from "../../policy/index.ts";
import type { KeptRules } from "../approve/rule-file.ts";
import type { SessionUser } from "../contract.ts";
import type { FileHistory, TreeSnapshots } from "../rewind/tree-snapshots.ts";
import type { TaskRunner } from "../task/task-runner.ts";
import type { ReadTranscript } from "../transcript/read-transcript.ts";

/** The models that a session can use. */
export interface SessionModels {
  /** Throws, with the fix, if the model cannot be used. */
  open(name: string, report: (message: string) => void): ModelPort;
  /** The size of the model's context window. */
  windowTokens(name: string): number;
}

/** What a session is made from. */
export interface SessionParts {
  readonly id: string;
  readonly cwd: string;
  /** The folder of this session. It exists. */
  readonly folder: string;
  /** The tools, without any policy around them. */
  readonly box: ToolBox;
  readonly policy: Policy;
  /** The same rules in plan mode, for sub-agents that only read. */
  readonly readOnlyPolicy: Policy;
  /** Absent: whatever needs approval is refused. */
  readonly user?: SessionUser;
  readonly models: SessionModels;
  /** `provider/name`. */
  readonly model: string;
  readonly thinking?: ThinkingLevel;
  /** The system prompt for these tools. */
  readonly brief: (tools: readonly ToolDescriptor[]) => string;
  /** Writes a plan and returns the path of its file. */
  readonly writePlan: (plan: string) => string;
  /** Continues this conversation. */
  readonly earlier?: ReadTranscript;
  readonly history?: FileHistory;
  /** Saves the folder before commands. Absent: what commands change cannot be undone. */
  readonly snapshots?: TreeSnapshots;
  readonly rules?: KeptRules;
  /** The files that the tools have seen. Absent: they may change a file that they have not read. */
  readonly readState?: ReadStateHandle;
  /** See `GateOptions`. */
  readonly onPermitted?: (call: ToolCall) => void;
  /** Why commands run without a sandbox. Absent: they run in one, or the user wants none. */
  readonly sandboxProblem?: string;
  /** The user had another session open before, and knows of the sandbox. */
  readonly isNext?: boolean;
  readonly tasks?: TaskRunner;
  /** Gets all tools behind the policy, for a card that calls other tools. */
  readonly onGated?: (box: ToolBox) => void;
  /** Removes secrets from what is written to disk. */
  readonly redact?: (text: string) => string;
  /** Default: true. */
  readonly autoCompact?: boolean;
  /** Whether the model uses tools of servers through programs. Default: it calls them. */
  readonly hasCodeMode?: boolean;
  readonly maxSteps?: number;
  readonly clock?: Clock;
}
