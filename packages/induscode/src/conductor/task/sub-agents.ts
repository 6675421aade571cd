import type { DelegateAgent } from "../../deck/contract/index.ts";

/** A kind of sub-agent: what it may do, and how long it may work. */
export interface SubAgent extends DelegateAgent {
  readonly description: string;
  /** Only calls that change nothing run. */
  readonly isReadOnly: boolean;
  /** How often its model is asked. */
  readonly maxSteps: number;
  /** How many tokens it may use, without those that its vendor has cached. */
  readonly maxTokens: number;
  /** What it is told beside the objective. */
  readonly brief: string;
}

const SHARED =
  "You are a sub-agent of Indus. You see only what this message says, and no user can answer questions. Your last message is " +
  "the whole answer: make it complete and short, and name files as path:line.";

/** The kind that is used if none is named. */
export const GENERAL: SubAgent = {
  name: "general",
  description:
    "does a piece of work with the same tools and permissions as this session, except task and plan mode",
  isReadOnly: false,
  maxSteps: 60,
  maxTokens: 600_000,
  brief: `${SHARED} Do the work yourself, and check the result.`,
};

/** The kinds of sub-agents, the default first. */
export const SUB_AGENTS: readonly SubAgent[] = [
  GENERAL,
  {
    name: "explore",
    description: "searches and reads, and changes nothing; for questions about code and documents",
    isReadOnly: true,
    maxSteps: 30,
    maxTokens: 300_000,
    brief: `${SHARED} You can only read: every call that would change something is refused.`,
  },
];

/** Tools that only the session itself has: they would change what the user sees, or start further sub-agents. */
export const SESSION_ONLY: ReadonlySet<string> = new Set([
  "task",
  "enter_plan_mode",
  "exit_plan_mode",
  "todo",
  "todo_set",
  "todo_read",
]);
