import type { Run } from "../../boot/internal.ts";
import { promptSignature } from "../../conductor/mentions/index.ts";
import { type CommandSpec, JSON_OUTPUT, SERVER_FLAGS } from "../../launch/internal.ts";
import { showJson, showLines } from "../../screen/index.ts";
import { listOf, shownPromptName, words } from "./server-items.ts";
import {
  connectedServers,
  type NamedServers,
  readNamedServers,
  reportFailures,
  startServers,
} from "./start-servers.ts";

export const MCP_PROMPTS: CommandSpec<NamedServers> = {
  name: "mcp prompts",
  group: "everyday",
  operands: "[SERVER …]",
  summary: "List the prompts of the configured servers with their arguments, one line each.",
  flags: [JSON_OUTPUT, ...SERVER_FLAGS],
  examples: ["indus mcp prompts"],
  read: readNamedServers,
};

export async function mcpPrompts(run: Run, { sources, names, json }: NamedServers): Promise<number> {
  const started = await startServers(run, { sources, names });
  if (!started) return 1;
  const { servers } = started;
  const prompts = await listOf(run, servers.relay, "prompts", connectedServers(servers));
  run.terminal.out(
    json
      ? showJson(
          prompts.map((prompt) => ({
            ...prompt.item,
            name: shownPromptName(prompt),
            server: prompt.server,
            prompt: prompt.item["name"],
          })),
        )
      : showLines(
          prompts.map((prompt) => ({
            key: promptSignature(shownPromptName(prompt), prompt.item),
            about: words(prompt.item, "description") || words(prompt.item, "title"),
          })),
          run.terminal.outLook,
        ),
  );
  const code = reportFailures(run, servers);
  if (code === 0 && prompts.length === 0) run.report("no server has prompts");
  return code;
}
