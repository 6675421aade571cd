// The server that the conformance suite calls, behind a thin client of the background gateway: the suite speaks HTTP only, so this
// program serves over HTTP what `indus serve --stdio` serves over stdio, under the names of the server.
//   shim.mjs COMMAND ARGUMENT …
// Prints its address on one line, and ends when its standard input does.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import {
  createClientLink,
  createProviderHost,
  type HostProviders,
  type InjectedTransport,
  mountProtocolBridge,
  RELAYED_EXTENSIONS,
  relayFleet,
  serveHttp,
} from "indusagi/interop";
import { viewBox } from "indusagi/runtime";
import { RECONNECTION_MS } from "./server/reporting-tools.ts";

type Message = Parameters<NonNullable<InjectedTransport["onmessage"]>>[0];

/** A program that was started without what marks a process tree of ours: inside of one the gateway is not used. */
class ProgramTransport implements InjectedTransport {
  onmessage?: InjectedTransport["onmessage"];
  onerror?: InjectedTransport["onerror"];
  onclose?: InjectedTransport["onclose"];
  readonly #child;
  readonly pid;
  readonly stderr = null;

  constructor([command = "", ...args]: readonly string[]) {
    this.#child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.pid = this.#child.pid ?? null;
  }

  async start(): Promise<void> {
    this.#child.on("close", () => this.onclose?.());
    createInterface({ input: this.#child.stdout }).on("line", (line) =>
      this.onmessage?.(JSON.parse(line) as Message),
    );
  }

  async send(message: object): Promise<void> {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.#child.stdin.end();
  }
}

const SERVER = "shim";
/** The name of the server behind the gateway. */
const PREFIX = "fixture__";
const own = (name: string): string => (name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name);

const link = createClientLink({ isOnlyClient: true });
const { box, fleet } = await mountProtocolBridge(
  { servers: [{ kind: "stdio", id: SERVER, command: "-" }] },
  {
    transport: () => new ProgramTransport(process.argv.slice(2)),
    answers: link.answers,
    relays: { extensions: RELAYED_EXTENSIONS },
    patience: "caller",
  },
);
link.attach(fleet);
const { serverInfo, capabilities } = fleet.endpoint(SERVER)?.session() ?? {};
const { name = SERVER, version = "", ...others } = serverInfo ?? {};
const info = { ...others, name, version };
const relayed = relayFleet(fleet).clientProviders({
  only: SERVER,
  keeps: () => true,
  forwards: () => SERVER,
});

/** The providers with the server's own names of prompts. */
function renamed(providers: HostProviders): HostProviders {
  const { prompts, complete } = providers;
  return {
    ...providers,
    ...(prompts && {
      prompts: {
        ...prompts,
        list: async (...given) => {
          const result = await prompts.list(...given);
          const { prompts: listed = [] } = result as { readonly prompts?: readonly { name: string }[] };
          return { ...result, prompts: listed.map((each) => ({ ...each, name: own(each.name) })) };
        },
        get: (asked, ...rest) => prompts.get(`${PREFIX}${asked}`, ...rest),
      },
    }),
    ...(complete && {
      complete: ({ ref, ...rest }, request) =>
        complete(
          {
            ...rest,
            ref: ref.type === "ref/prompt" ? { ...ref, name: `${PREFIX}${String(ref["name"])}` } : ref,
          },
          request,
        ),
    }),
  };
}

const host = createProviderHost(
  viewBox(box, { show: (tool) => tool.origin && { ...tool, name: own(tool.origin.tool) } }),
  info,
  typeof relayed === "function" ? (client) => renamed(relayed(client)) : renamed(relayed),
  {
    listsAsReceived: true,
    clientExtensions: "all",
    clients: link.observer,
    ...(capabilities && { introduction: async () => ({ capabilities, info }) }),
  },
);
const listener = await serveHttp(host, { port: 0, limits: { pollAfterMs: RECONNECTION_MS / 2 } });
process.stdout.write(`${listener.url}\n`);
process.stdin.once("end", () => void fleet.tearDown().then(() => listener.close()));
process.stdin.resume();
