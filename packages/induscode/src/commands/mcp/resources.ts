import type { Run } from "../../boot/internal.ts";
import type { ServerItem } from "../../conductor/mentions/index.ts";
import { type CommandSpec, JSON_OUTPUT, SERVER_FLAGS } from "../../launch/internal.ts";
import { type ListLine, showJson, showLines } from "../../screen/index.ts";
import { listOf, words } from "./server-items.ts";
import {
  connectedServers,
  type NamedServers,
  readNamedServers,
  reportFailures,
  startServers,
} from "./start-servers.ts";

export const MCP_RESOURCES: CommandSpec<NamedServers> = {
  name: "mcp resources",
  group: "everyday",
  operands: "[SERVER …]",
  summary: "List the resources and resource templates of the configured servers, one line each.",
  flags: [JSON_OUTPUT, ...SERVER_FLAGS],
  examples: ["indus mcp resources", "indus mcp resources docs --json"],
  read: readNamedServers,
};

export async function mcpResources(run: Run, { sources, names, json }: NamedServers): Promise<number> {
  const started = await startServers(run, { sources, names });
  if (!started) return 1;
  const { relay } = started.servers;
  const ready = connectedServers(started.servers);
  const [resources, templates] = await Promise.all([
    listOf(run, relay, "resources", ready),
    listOf(run, relay, "templates", ready),
  ]);
  const plain = ({ server, item }: ServerItem): object => ({ server, ...item });
  run.terminal.out(
    json
      ? showJson({ resources: resources.map(plain), templates: templates.map(plain) })
      : showLines([...resources.map(lineOf), ...templates.map(lineOf)], run.terminal.outLook),
  );
  const code = reportFailures(run, started.servers);
  if (code === 0 && resources.length + templates.length === 0) run.report("no server has resources");
  return code;
}

function lineOf({ server, item }: ServerItem): ListLine {
  const about = [words(item, "title") || words(item, "name"), words(item, "description")];
  return {
    key: words(item, "uri") || words(item, "uriTemplate"),
    about: [server, ...about.filter((text) => text !== "")].join(": "),
  };
}
