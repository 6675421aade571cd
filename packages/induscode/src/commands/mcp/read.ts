import { describeError } from "indusagi/core";
import type { RawResult, Relay, ResourceOwners } from "indusagi/interop";
import type { Run } from "../../boot/internal.ts";
import type { CommandSpec } from "../../launch/internal.ts";
import { showJson, showResourceContents, suggestion } from "../../screen/index.ts";
import { fileSaver } from "../../screen/terminal/index.ts";
import { ITEM_FLAGS, type OneItem, readItem } from "./server-items.ts";
import { startServers } from "./start-servers.ts";

interface ReadResourceRequest extends OneItem {
  readonly uri: string;
}

export const MCP_READ: CommandSpec<ReadResourceRequest> = {
  name: "mcp read",
  group: "everyday",
  operands: "URI",
  summary: "Read a resource of a configured server. To a pipe or file it is written byte for byte.",
  flags: ITEM_FLAGS,
  examples: ["indus mcp read docs://intro", "indus mcp read docs://intro --server docs"],
  read: (flags) => {
    const [uri, surplus] = [...flags.operands, ...flags.afterEnd];
    if (uri === undefined) return { problem: "mcp read needs the URI of a resource" };
    if (surplus !== undefined)
      return { problem: `mcp read takes one URI, not also ${JSON.stringify(surplus)}` };
    return { uri, ...readItem(flags) };
  },
};

export async function mcpRead(run: Run, request: ReadResourceRequest): Promise<number> {
  const { report, signal } = run;
  const { sources, server, uri, timeoutMs } = request;
  const started = await startServers(run, { sources, names: server === undefined ? [] : [server] });
  if (!started) return 1;
  const { relay } = started.servers;
  try {
    const owner =
      server ??
      (await ownerOf(
        run,
        relay,
        uri,
        started.servers.statuses().map((status) => status.server),
      ));
    if (owner === undefined) return 1;
    const result = await relay.readResource(owner, uri, { signal, ...(timeoutMs && { timeoutMs }) });
    print(run, result, request);
    return 0;
  } catch (thrown) {
    if (!signal.aborted) report(describeError(thrown));
    return 1;
  }
}

/** The server that has a resource. If none or several have it, reports that and returns undefined. */
async function ownerOf(
  run: Run,
  relay: Relay,
  uri: string,
  servers: readonly string[],
): Promise<string | undefined> {
  const owners = await relay.ownersOf(uri, { servers, signal: run.signal });
  const [only, ...more] = owners.servers;
  if (only !== undefined && more.length === 0) return only;
  run.report(only === undefined ? await unlisted(run, relay, uri, owners) : ambiguous(uri, owners));
  return undefined;
}

function ambiguous(uri: string, { servers, by }: ResourceOwners): string {
  const have = by === "uri" ? "list" : "have a template for";
  return `${servers.join(" and ")} ${have} ${uri}; choose one with --server`;
}

async function unlisted(run: Run, relay: Relay, uri: string, { unknown }: ResourceOwners): Promise<string> {
  const lists = await relay.list("resources", { signal: run.signal });
  const uris = lists.flatMap(({ items }) => items.map((item) => String(item["uri"])));
  const hint = await suggestion(
    uri,
    uris,
    "indus mcp resources lists them, and --server NAME reads one that is not listed",
  );
  const missing = unknown.length > 0 ? ` (not asked: ${unknown.map(({ server }) => server).join(", ")})` : "";
  return `no server lists ${uri} or has a template for it; ${hint}${missing}`;
}

function print({ terminal }: Run, result: RawResult, { json, saveTo }: ReadResourceRequest): void {
  const { contents } = result;
  if (json) return terminal.out(showJson(result));
  if (!Array.isArray(contents)) throw new Error("the server answered without contents");
  const { outIsScreen: isScreen = false, outLook: look = {} } = terminal;
  const [first] = contents as readonly { readonly text?: unknown; readonly blob?: unknown }[];
  if (!isScreen && saveTo === undefined && contents.length === 1) {
    // A file or pipe gets exactly the resource.
    if (typeof first?.text === "string") return terminal.out(first.text);
    if (typeof first?.blob === "string") return terminal.out(Buffer.from(first.blob, "base64"));
  }
  const view = { isScreen, look, save: fileSaver(saveTo) };
  terminal.out(
    `${contents
      .map((each) => showResourceContents(each, view))
      .join("\n")
      .trimEnd()}\n`,
  );
}
