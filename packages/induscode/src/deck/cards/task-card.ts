import type { ToolContext } from "indusagi/capabilities";
import { failureResult, type ToolResult } from "indusagi/runtime";
import type {
  Capability,
  CapabilityCard,
  DelegateAgent,
  DelegateRequest,
  DelegateRunner,
} from "../contract/index.ts";
import { appCard, defineCard, handleCall, missingHandle } from "./define-card.ts";

/** `task`: gives a piece of work to a sub-agent. */
export function taskCard(): CapabilityCard {
  return appCard({
    id: "task",
    title: "Delegate task",
    summary: "Give a piece of work to a sub-agent and get its final answer.",
    build: ({ framework }) => taskCapability(framework.delegate),
  });
}

function taskCapability(runner: DelegateRunner | undefined): Capability {
  return defineCard<DelegateRequest>({
    name: "task",
    label: "Delegate task",
    description: describeTask(runner?.listAgents()),
    parameters: {
      type: "object",
      properties: {
        objective: { type: "string", minLength: 1, description: "What the sub-agent should achieve." },
        agent: {
          type: "string",
          minLength: 1,
          description: "The name of an agent. Default: chosen for you.",
        },
        context: {
          type: "string",
          description: "Background that the sub-agent needs: it sees nothing else.",
        },
      },
      required: ["objective"],
    },
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    },
    effect: ({ agent }) => ({ readOnly: isReadOnly(runner, agent) }),
    run: (request, ctx) => (runner ? delegate(runner, request, ctx) : NO_RUNNER),
  });
}

/** Without a name the runner chooses, possibly an agent that makes changes. */
function isReadOnly(runner: DelegateRunner | undefined, agent: string | undefined): boolean {
  return runner?.listAgents().find(({ name }) => name === agent)?.readOnly === true;
}

const NO_RUNNER: ToolResult = missingHandle(
  "delegate",
  "task: this session has no sub-agents; do the work yourself with the other tools",
);

async function delegate(
  runner: DelegateRunner,
  { objective, agent, context }: DelegateRequest,
  ctx: ToolContext,
): Promise<ToolResult> {
  const known = runner.listAgents().map(({ name }) => name);
  // A runner that lists no agents may still know some.
  if (agent !== undefined && known.length > 0 && !known.includes(agent))
    return failureResult(unknownAgent(agent, known));
  return runner.run(
    {
      objective,
      ...(agent === undefined ? {} : { agent }),
      ...(context === undefined ? {} : { context }),
    },
    handleCall(ctx),
  );
}

function unknownAgent(agent: string, known: readonly string[]): string {
  return `task: there is no agent ${JSON.stringify(agent)}; known agents: ${known.join(", ")}`;
}

function describeTask(agents: readonly DelegateAgent[] | undefined): string {
  const what =
    "Give a piece of work to a sub-agent. It works alone until it is done and returns only its final answer.";
  if (!agents) return `${what} This session has no sub-agents, so every call fails.`;
  if (agents.length === 0) return what;
  const lines = agents.map(({ name, description }) =>
    description === undefined ? `- ${name}` : `- ${name}: ${description}`,
  );
  return `${what} Agents:\n${lines.join("\n")}`;
}
