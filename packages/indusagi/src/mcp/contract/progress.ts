import type { ProgressNote } from "../../runtime/index.ts";

/** How far a call has come, and whose call it is. */
export interface MCPProgressNotification extends ProgressNote {
  readonly serverName: string;
  readonly toolName?: string;
  readonly progressToken?: string | number;
}

/** Hears the progress of every call of a client. */
export type MCPProgressHandler = (notification: MCPProgressNotification) => void;
