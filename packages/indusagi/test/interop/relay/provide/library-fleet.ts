import {
  createProviderHost,
  type FleetRelay,
  type HostProviders,
  type ListedItem,
  linkedTransports,
  mountProtocolBridge,
  type RawResult,
  type RelayFleetOptions,
  relayFleet,
  type ServerFleet,
} from "indusagi/interop";
import { mcpBlock, type ToolBox, type ToolOutcome } from "indusagi/runtime";
import { withoutDiscovery } from "../../../mcp/kit/legacy-only.ts";
import { boxOf } from "../../host/box-of.ts";

/** What a server of these tests has. Each answer names the server. Lists may be changed between requests. */
export interface Library {
  resources?: ListedItem[];
  templates?: ListedItem[];
  prompts?: ListedItem[];
  /** URIs that the tool `link` returns as links, and `embed` as embedded resources. */
  links?: string[];
  completes?: boolean;
  /** The lists never answer while this is set. */
  hangs?: boolean;
}

export interface LibraryFleet extends AsyncDisposable {
  readonly fleet: ServerFleet;
  readonly relay: FleetRelay;
  readonly box: ToolBox;
  /** The requests that servers got, each with its `_meta`. */
  readonly seen: { readonly about: string; readonly meta: unknown }[];
  /** The requests of one client. */
  client(key: string): LibraryClient;
}

export interface LibraryClient {
  list(kind: "resources" | "templates" | "prompts"): Promise<readonly ListedItem[]>;
  read(uri: string, meta?: object): Promise<RawResult | undefined>;
  prompt(name: string): Promise<RawResult | undefined>;
  complete(ref: { readonly type: string; readonly [member: string]: unknown }): Promise<RawResult>;
  call(tool: string, meta?: { readonly [key: string]: unknown }): Promise<ToolOutcome>;
}

/** A fleet of hosts in this process. A server whose name ends in `-legacy` speaks that era. */
export async function libraryFleet(
  libraries: { readonly [server: string]: Library },
  options: RelayFleetOptions = {},
): Promise<LibraryFleet> {
  const seen: { about: string; meta: unknown }[] = [];
  const servers = Object.keys(libraries).map((id) => ({ kind: "stdio" as const, id, command: "(here)" }));
  const { box: mounted, fleet } = await mountProtocolBridge(
    { servers },
    {
      supervision: false,
      transport: ({ id }) => {
        const [ours, theirs] = linkedTransports();
        const library = libraries[id] ?? {};
        const providers = providersOf(id, library, (about, meta) => void seen.push({ about, meta }));
        void createProviderHost(toolsOf(library), undefined, providers).connect(theirs);
        return id.endsWith("-legacy") ? withoutDiscovery(ours) : ours;
      },
    },
  );
  const relay = relayFleet(fleet, options);
  const box = relay.relayedBox(mounted);
  return {
    fleet,
    relay,
    box,
    seen,
    client: (key) => clientOf(relay, box, key),
    [Symbol.asyncDispose]: () => fleet.tearDown(),
  };
}

function clientOf(relay: FleetRelay, box: ToolBox, key: string): LibraryClient {
  const { resources, prompts, complete } = relay.providers();
  const caller = { key, can: {} };
  const request = { signal: new AbortController().signal, caller };
  return {
    list: async (kind) => {
      if (kind === "prompts") return (await prompts.list({}, request))["prompts"] as ListedItem[];
      if (kind === "resources") return (await resources.list({}, request))["resources"] as ListedItem[];
      return (await resources.templates?.({}, request))?.["resourceTemplates"] as ListedItem[];
    },
    read: async (uri, meta) => resources.read(uri, { ...request, ...(meta && { meta: { ...meta } }) }),
    prompt: async (name) => prompts.get(name, {}, request),
    complete: async (ref) => complete({ ref, argument: { name: "a", value: "" } }, request),
    call: (name, meta) =>
      box.runner.run({ id: "1", name, input: {}, ...(meta && { meta }) }, request.signal, caller),
  };
}

function toolsOf({ links = [] }: Library): ToolBox {
  return boxOf({
    link: () => ({ content: links.map((uri) => mcpBlock({ type: "resource_link", uri, name: uri })) }),
    embed: () => ({
      content: links.map((uri) => mcpBlock({ type: "resource", resource: { uri, text: "embedded" } })),
    }),
    none: () => ({ content: [{ kind: "text", text: "x://1" }] }),
  });
}

function providersOf(
  id: string,
  library: Library,
  see: (about: string, meta: unknown) => void,
): HostProviders {
  const list = <Items>(items: Items): Items | Promise<never> =>
    library.hangs ? new Promise<never>(() => {}) : items;
  return {
    resources: {
      list: (_list, { meta }) => {
        if (meta) see(`${id} resources`, meta);
        return list({ resources: library.resources ?? [] });
      },
      templates: () => list({ resourceTemplates: library.templates ?? [] }),
      read: (uri, { meta }) => {
        see(`${id} read ${uri}`, meta);
        return { contents: [{ uri, text: id }], _meta: { first: library.resources?.[0]?.["uri"] ?? "" } };
      },
    },
    prompts: {
      list: (_list, { meta }) => {
        if (meta) see(`${id} prompts`, meta);
        return list({ prompts: library.prompts ?? [] });
      },
      get: (name) => ({
        messages: [
          { role: "user", content: { type: "text", text: `${id} ${name}` } },
          ...(library.links ?? []).map((uri) => ({
            role: "user",
            content: { type: "resource", resource: { uri, text: "" } },
          })),
        ],
      }),
    },
    ...(library.completes && {
      complete: ({ ref }) => ({ completion: { values: [`${id} ${JSON.stringify(ref)}`] } }),
    }),
  };
}
