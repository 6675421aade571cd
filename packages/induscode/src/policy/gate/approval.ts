import type { ToolDescriptor } from "indusagi/llm";
import type { Caller, ToolCall } from "indusagi/runtime";
import type { CallEffect } from "../decide/call-effect.ts";
import type { Decision } from "../decide/decide.ts";

/** A call that needs an approval, and why. */
export interface ApprovalQuestion {
  readonly call: ToolCall;
  readonly descriptor: ToolDescriptor;
  readonly effect: CallEffect;
  /** Why it asks. */
  readonly decision: Decision;
  /** An allow rule that would answer this question next time. Absent if none can. */
  readonly suggestedRule?: string;
  /** Who made the call, and may be able to answer. */
  readonly caller?: Caller;
  /** Aborts when the answer is no longer needed. */
  readonly signal: AbortSignal;
}

/** The answer to a question. */
export type ApprovalAnswer =
  | {
      readonly allow: true;
      /** An allow rule to add to the policy, such as the suggested one: "always allow". */
      readonly rule?: string;
    }
  | {
      readonly allow: false;
      /** Why, for the model. */
      readonly message?: string;
    };

/** Answers questions about calls, usually by asking a person. A rejection refuses the call. */
export type Approver = (question: ApprovalQuestion) => Promise<ApprovalAnswer>;
