import type { ToolResult } from "indusagi/runtime";
import type { CapabilityCard } from "../contract/index.ts";
import { appCard, defineCard } from "./define-card.ts";

/** Neither card changes the mode: the session looks for these markers in the results and asks the user. */
const ENTER_MARKER = Object.freeze({ enterPlanMode: true, applied: false });

/** `enter_plan_mode`: asks for plan mode, in which only read-only calls run. */
export function enterPlanModeCard(): CapabilityCard {
  return appCard({
    id: "enter_plan_mode",
    title: "Enter plan mode",
    summary: "Ask to explore and plan before anything is changed.",
    build: () =>
      defineCard<object>({
        name: "enter_plan_mode",
        label: "Enter plan mode",
        description:
          "Ask to work in plan mode: explore with read-only tools, change nothing, and then present a plan with " +
          "exit_plan_mode. Use it before large or risky changes.",
        parameters: { type: "object", properties: {} },
        annotations: READ_ONLY,
        run: () =>
          marked(
            "Plan mode was requested. Explore only: read, search and think, and change no file and no system. " +
              "When the plan is complete, present it with exit_plan_mode.",
            ENTER_MARKER,
          ),
      }),
  });
}

/** `exit_plan_mode`: presents the plan for approval. */
export function exitPlanModeCard(): CapabilityCard {
  return appCard({
    id: "exit_plan_mode",
    title: "Exit plan mode",
    summary: "Present a plan and ask to carry it out.",
    build: () =>
      defineCard<{ readonly plan: string }>({
        name: "exit_plan_mode",
        label: "Exit plan mode",
        description:
          "Present the finished plan and ask to leave plan mode. The user approves the plan or sends it back; change " +
          "nothing before it is approved.",
        parameters: {
          type: "object",
          properties: {
            plan: { type: "string", minLength: 1, description: "The whole plan, in Markdown." },
          },
          required: ["plan"],
        },
        annotations: READ_ONLY,
        run: ({ plan }) =>
          marked("The plan was presented. Wait for the decision before you change anything.", {
            exitPlan: true,
            plan,
          }),
      }),
  });
}

const READ_ONLY = { readOnlyHint: true, idempotentHint: true, openWorldHint: false } as const;

function marked(text: string, marker: object): ToolResult {
  return {
    content: [
      { kind: "text", text },
      { kind: "json", value: marker },
    ],
    structured: marker,
  };
}
