import type {
  AgentContext,
  ClientCapabilities,
  PermissionOption,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { mintUlid, untilAborted } from "indusagi/core";
import type { Session, SessionUser } from "../../conductor/index.ts";
import { answerQuestions, type FormAnswer } from "../../conductor/questions/index.ts";
import { callShape } from "./call-shape.ts";
import { textBlock } from "./session-updates.ts";

export interface AcpUserOptions {
  readonly client: AgentContext;
  readonly capabilities: ClientCapabilities;
  readonly cwd: string;
  readonly session: () => Session | undefined;
}

/** The editor's user: approvals are permission requests, and questions are elicitations if the editor supports them. */
export function acpUser(options: AcpUserOptions): SessionUser {
  const { capabilities, cwd, session } = options;
  const { form, url } = capabilities.elicitation ?? {};
  return {
    approve: async ({ call, descriptor, reason, rules, signal }) => {
      const shape = callShape(descriptor.name, call.input, cwd);
      const chosen = await permission(
        options,
        { toolCallId: call.id, rawInput: call.input, ...shape, title: `${shape.title} (${reason})` },
        [
          { optionId: "once", name: "Allow once", kind: "allow_once" },
          ...rules.map((rule, at) => ({
            optionId: `rule-${at}`,
            name: `Always allow ${rule}`,
            kind: "allow_always" as const,
          })),
          { optionId: "no", name: "Refuse", kind: "reject_once" },
        ],
        signal,
      );
      if (chosen === "once") return { allow: true };
      const rule = rules[Number(/^rule-(\d+)$/.exec(chosen ?? "")?.[1] ?? Number.NaN)];
      return rule === undefined ? { allow: false } : { allow: true, rule };
    },
    approvePlan: async ({ plan, signal }) => {
      const chosen = await permission(
        options,
        {
          toolCallId: `plan-${mintUlid()}`,
          title: "Carry out this plan?",
          kind: "switch_mode",
          content: [{ type: "content", content: textBlock(plan) }],
        },
        [
          { optionId: "default", name: "Yes, and ask before each change", kind: "allow_once" },
          { optionId: "acceptEdits", name: "Yes, and edit files without asking", kind: "allow_always" },
          { optionId: "no", name: "No, keep planning", kind: "reject_once" },
        ],
        signal,
      );
      if (chosen === "default" || chosen === "acceptEdits") return { approved: true, mode: chosen };
      return { approved: false };
    },
    ...answerQuestions({
      cwd,
      session,
      can: { elicit: { ...(form && { form: true }), ...(url && { url: true }) } },
      user: {
        fillForm: ({ message, schema }, signal) =>
          elicit(options, { mode: "form", message, requestedSchema: schema }, signal),
        visitUrl: async ({ message, url: address }, signal) => {
          const question = { mode: "url", message, url: address.href, elicitationId: mintUlid() };
          return (await elicit(options, question, signal)).action;
        },
        approveSampling: async ({ model, request }, signal) => {
          const chosen = await permission(
            options,
            {
              toolCallId: `sampling-${mintUlid()}`,
              title: `A server wants an answer from ${model}`,
              kind: "other",
              content: [{ type: "content", content: textBlock(JSON.stringify(request.messages, null, 2)) }],
            },
            [
              { optionId: "once", name: "Allow once", kind: "allow_once" },
              { optionId: "no", name: "Refuse", kind: "reject_once" },
            ],
            signal,
          );
          return chosen === "once";
        },
      },
    }),
  };
}

/** The chosen option. Undefined if the editor cancelled. */
async function permission(
  { client, session }: AcpUserOptions,
  toolCall: ToolCallUpdate,
  options: PermissionOption[],
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const sessionId = session()?.id ?? "";
  const asked = client.request(
    "session/request_permission",
    { sessionId, toolCall: { status: "pending", ...toolCall }, options },
    signal && { cancellationSignal: signal },
  );
  const { outcome } = await untilAborted(asked, signal);
  return outcome.outcome === "selected" ? outcome.optionId : undefined;
}

async function elicit(
  { client, session }: AcpUserOptions,
  question: object,
  signal: AbortSignal | undefined,
): Promise<FormAnswer> {
  const sessionId = session()?.id ?? "";
  const asked = client.request<{ readonly action?: unknown; readonly content?: unknown }>(
    "elicitation/create" as string,
    { sessionId, ...question },
    signal && { cancellationSignal: signal },
  );
  const { action, content } = await untilAborted(asked, signal);
  if (action === "accept")
    return { action, content: Object(content) as { readonly [name: string]: unknown } };
  return { action: action === "decline" ? "decline" : "cancel" };
}
