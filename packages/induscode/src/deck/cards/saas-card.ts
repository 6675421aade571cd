import type { ToolContext } from "indusagi/capabilities";
import { failureResult, type ToolResult } from "indusagi/runtime";
import type {
  Capability,
  CapabilityCard,
  SaasAction,
  SaasGatewayPort,
  SaasQuery,
} from "../contract/index.ts";
import { appCard, defineCard, handleCall, missingHandle } from "./define-card.ts";

/** `saas-action`: finds and runs actions of connected services. */
export function saasCard(): CapabilityCard {
  return appCard({
    id: "saas-action",
    title: "Service action",
    summary: "Find and run actions of connected services.",
    build: ({ framework }) => saasCapability(framework.saas),
  });
}

interface SaasInput extends SaasQuery {
  readonly action: "discover" | "execute";
  readonly arguments?: { readonly [name: string]: unknown };
}

function saasCapability(gateway: SaasGatewayPort | undefined): Capability {
  return defineCard<SaasInput>({
    name: "saas-action",
    label: "Service action",
    description: `${DESCRIPTION}${gateway ? "" : " This session has no connected services, so every call fails."}`,
    parameters: {
      type: "object",
      properties: {
        action: { type: "string", enum: ["discover", "execute"] },
        slug: {
          type: "string",
          minLength: 1,
          description: "The exact name of an action. Needed for execute; for discover it selects one action.",
        },
        arguments: { type: "object", description: "The arguments of the action, for execute." },
        toolkits: {
          type: "array",
          items: { type: "string", minLength: 1 },
          description: "Only actions of these services, for discover.",
        },
        query: { type: "string", description: "Words to search for, for discover." },
      },
      required: ["action"],
    },
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    },
    effect: ({ action }) =>
      action === "discover" || gateway?.decidesCalls
        ? { readOnly: true, paths: [] }
        : { readOnly: false, destructive: true },
    run: (input, ctx) => {
      if (!gateway) return NO_GATEWAY;
      return input.action === "discover" ? discover(gateway, input, ctx) : execute(gateway, input, ctx);
    },
  });
}

const DESCRIPTION =
  "Use connected services. discover lists actions with their arguments; execute runs one by its exact slug. " +
  "Discover an action before you execute it.";

const NO_GATEWAY: ToolResult = missingHandle(
  "saas",
  "saas-action: this session has no connected services; use other tools, or ask the user to connect one",
);

async function discover(
  gateway: SaasGatewayPort,
  { toolkits, query, slug }: SaasInput,
  ctx: ToolContext,
): Promise<ToolResult> {
  const found = await gateway.discover(
    {
      ...(toolkits === undefined ? {} : { toolkits }),
      ...(query === undefined ? {} : { query }),
      ...(slug === undefined ? {} : { slug }),
    },
    handleCall(ctx),
  );
  return {
    content: [{ kind: "text", text: showActions(found, slug) }],
    structured: { actions: found },
  };
}

async function execute(
  gateway: SaasGatewayPort,
  { slug, arguments: given = {} }: SaasInput,
  ctx: ToolContext,
): Promise<ToolResult> {
  if (slug === undefined)
    return failureResult('saas-action: "slug" is missing; execute needs the name of an action: use discover');
  return gateway.execute(slug, given, handleCall(ctx));
}

/** One line per action. Shows the schema only for a single action: many schemas would fill the answer. */
function showActions(actions: readonly SaasAction[], slug: string | undefined): string {
  const [only] = actions;
  if (!only) return slug === undefined ? "no action matches" : `there is no action ${JSON.stringify(slug)}`;
  const lines = actions.map(({ slug: name, description }) =>
    description === undefined ? name : `${name}: ${description}`,
  );
  if (actions.length > 1)
    return [...lines, "discover with a slug shows the arguments of one action"].join("\n");
  return [...lines, `arguments: ${JSON.stringify(only.parameters ?? {})}`].join("\n");
}
