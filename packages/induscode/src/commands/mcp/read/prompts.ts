import type { ListedItem } from "indusagi/interop";
import { toolSignature } from "indusagi/llm";
import type { Run } from "../../../boot/internal.ts";
import type { ListItemsRequest } from "../../../launch/internal.ts";
import { showJson, showLines } from "../../../screen/index.ts";
import { readyServers, reportFailures, startServers } from "../start-servers.ts";
import { listOf, promptName, type ServerItem, words } from "./server-items.ts";

/** `indus mcp prompts`: the prompts of the servers with their arguments, one line each. */
export async function mcpPrompts(run: Run, { sources, names, json }: ListItemsRequest): Promise<number> {
  const started = await startServers(run, { sources, names });
  if (!started) return 1;
  const { servers } = started;
  const prompts = await listOf(run, servers.relay, "prompts", readyServers(servers));
  run.terminal.out(
    json
      ? showJson(
          prompts.map((prompt) => ({
            ...prompt.item,
            name: promptName(prompt),
            server: prompt.server,
            prompt: prompt.item["name"],
          })),
        )
      : showLines(
          prompts.map((prompt) => ({
            key: promptSignature(prompt),
            about: words(prompt.item, "description") || words(prompt.item, "title"),
          })),
          run.terminal.outLook,
        ),
  );
  const code = reportFailures(run, servers);
  if (code === 0 && prompts.length === 0) run.report("no server has prompts");
  return code;
}

/** A prompt as a function of its arguments, which are all texts. */
export function promptSignature(prompt: ServerItem): string {
  const known = promptArguments(prompt.item);
  const properties = Object.fromEntries(known.map(({ name }) => [name, { type: "string" }]));
  const required = known.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return toolSignature({ name: promptName(prompt), parameters: { properties, required } });
}

export interface PromptArgument {
  readonly name: string;
  readonly isRequired: boolean;
}

/** The arguments that a prompt declares. What is malformed is left out. */
export function promptArguments({ arguments: declared }: ListedItem): readonly PromptArgument[] {
  if (!Array.isArray(declared)) return [];
  return declared.flatMap((argument: unknown) => {
    const { name, required } = Object(argument) as { readonly name?: unknown; readonly required?: unknown };
    return typeof name === "string" ? [{ name, isRequired: required === true }] : [];
  });
}
