import { getPrompt as requestPrompt } from "../../interop/relay/index.ts";
import type { MCPPromptResult } from "../contract/index.ts";
import { isMCPError, type MCPError } from "../errors/index.ts";
import type { ClientCore } from "./client-core.ts";
import { askServer, listFromServer } from "./request-server.ts";

/** Fetches a prompt. Servers use the same code for an unknown name and a missing argument; their list decides which it is. */
export async function getPrompt(
  core: ClientCore,
  name: string,
  args: { readonly [argument: string]: string },
): Promise<MCPPromptResult> {
  try {
    const { description, messages } = await askServer(
      core,
      { site: "prompt", needs: { capability: "prompts" } },
      (session, options) => requestPrompt(session, { name, args }, options),
    );
    return {
      messages: Array.isArray(messages) ? (messages as MCPPromptResult["messages"]) : [],
      ...(typeof description === "string" ? { description } : {}),
    };
  } catch (thrown) {
    const isRefused = isMCPError(thrown) && thrown.code === "INVALID_PARAMETERS";
    throw isRefused && !(await isListed(core, name)) ? notFound(core, name, thrown) : thrown;
  }
}

async function isListed(core: ClientCore, name: string): Promise<boolean> {
  const prompts = await listFromServer(core, "prompts").catch(() => undefined);
  return prompts?.some((prompt) => prompt["name"] === name) ?? true;
}

function notFound(core: ClientCore, name: string, cause: unknown): MCPError {
  const message = `there is no prompt "${name}" on server "${core.serverName}"; listPrompts() returns the existing ones`;
  return core.error("PROMPT_NOT_FOUND", message, { details: { name }, cause });
}
