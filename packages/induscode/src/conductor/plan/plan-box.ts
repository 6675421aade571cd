import { describeError } from "indusagi/core";
import {
  answeredOutcome,
  failureResult,
  layerBox,
  type ToolBox,
  type ToolOutcome,
  type ToolResult,
  textResult,
} from "indusagi/runtime";
import type { Policy } from "../../policy/index.ts";
import type { PlanAnswer, SessionEvent, SessionUser } from "../contract.ts";

export interface PlanBoxOptions {
  readonly policy: Pick<Policy, "mode">;
  readonly setMode: (mode: Policy["mode"]) => void;
  /** Absent: plans cannot be approved. */
  readonly user?: Pick<SessionUser, "approvePlan"> | undefined;
  /** Writes a plan and returns the path of its file. */
  readonly writePlan: (plan: string) => string;
  readonly emit: (event: SessionEvent) => void;
}

/**
 * Acts on the marks in the plan cards' results, which only a session can do. Everything else passes unchanged.
 */
export function planBox(box: ToolBox, options: PlanBoxOptions): ToolBox {
  return layerBox(box, {
    call: ({ descriptor, run }) => {
      // Never trust a server's tool to set these marks.
      if (descriptor.origin || !PLAN_TOOLS.has(descriptor.name)) return run;
      return async (call, signal, caller) => {
        const outcome = await run(call, signal, caller);
        const mark = markOf(call.name, outcome);
        if (!mark) return outcome;
        const aborted = signal ?? new AbortController().signal;
        const result =
          mark.plan === undefined ? enterPlanMode(options) : await present(mark.plan, options, aborted);
        return answeredOutcome(call.id, result);
      };
    },
  });
}

const PLAN_TOOLS: ReadonlySet<string> = new Set(["enter_plan_mode", "exit_plan_mode"]);

interface PlanMark {
  /** Absent: the model wants to enter plan mode. */
  readonly plan?: string;
}

function markOf(name: string, { isError, result, wire }: ToolOutcome): PlanMark | undefined {
  const { structured } = result;
  if (isError || wire || typeof structured !== "object" || structured === null) return undefined;
  const { enterPlanMode: enters, exitPlan, plan } = structured as { readonly [member: string]: unknown };
  if (name === "enter_plan_mode" && enters === true) return {};
  return name === "exit_plan_mode" && exitPlan === true && typeof plan === "string" ? { plan } : undefined;
}

function enterPlanMode({ policy, setMode, user }: PlanBoxOptions): ToolResult {
  if (policy.mode === "plan") return textResult("Plan mode is already on.");
  if (!user)
    return failureResult(
      "Plan mode was not entered: this session has no user to approve the plan. Explore first, then go on with care.",
    );
  setMode("plan");
  return textResult(
    "Plan mode is on. Explore only: read, search and think, and change nothing. When the plan is complete, present it with exit_plan_mode.",
  );
}

async function present(plan: string, options: PlanBoxOptions, signal: AbortSignal): Promise<ToolResult> {
  const { policy, setMode, user, emit } = options;
  const kept = keepPlan(plan, options);
  emit({ kind: "plan", state: "presented", plan, ...kept });
  const where = kept.path === undefined ? "" : ` It is kept in ${kept.path}.`;
  if (policy.mode !== "plan")
    return textResult(
      `The plan was shown to the user.${where} The session is not in plan mode, so nothing waits for an approval: go on.`,
    );
  if (!user)
    return textResult(
      `The plan was shown to the user.${where} This session has no user to approve it and stays in plan mode: end your turn with a short summary.`,
    );
  const answer = await decided(user, { plan, signal, ...kept });
  if (!answer.approved) {
    emit({ kind: "plan", state: "returned", plan, ...kept });
    const why = answer.message ? `: ${answer.message}` : "";
    return textResult(
      `The user did not approve the plan${why}. Plan mode stays on: change the plan and present it again.`,
    );
  }
  setMode(answer.mode);
  emit({ kind: "plan", state: "approved", plan, ...kept });
  return textResult(
    `The user approved the plan.${where} The mode is now ${answer.mode}. Carry the plan out.`,
  );
}

async function decided(
  user: Pick<SessionUser, "approvePlan">,
  question: Parameters<SessionUser["approvePlan"]>[0],
): Promise<PlanAnswer> {
  try {
    return await user.approvePlan(question);
  } catch (thrown) {
    question.signal.throwIfAborted();
    return { approved: false, message: `the question could not be asked: ${describeError(thrown)}` };
  }
}

/** A plan that cannot be written is still presented. */
function keepPlan(plan: string, { writePlan, emit }: PlanBoxOptions): { readonly path?: string } {
  try {
    return { path: writePlan(plan) };
  } catch (thrown) {
    emit({ kind: "notice", message: `the plan could not be written to a file: ${describeError(thrown)}` });
    return {};
  }
}
