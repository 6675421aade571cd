import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../test/kit/free-port.ts";
import type { StdioTarget, Target } from "../wire/target.ts";
import { type Door, type Gateway, OWN_NAMES, PREFIXED_NAMES, rowOf, SERVER_ID } from "./gateway.ts";
import { accepts, startProgram } from "./processes.ts";

/** Where a package of npm was installed, and the Node that runs it. */
export interface InstalledPeers {
  readonly node24: string;
  programOf(name: string): string;
}

/** The versions that the page compares with. */
export const PEER_PACKAGES = { "mcp-proxy": "6.7.19", supergateway: "4.0.0", mcporter: "0.12.3" } as const;

/** How another gateway is started in front of one server, so that it listens on a port. */
interface PeerLaunch {
  readonly argv: readonly string[];
  readonly env: { readonly [name: string]: string };
}

interface Peer extends Pick<Gateway, "reaches">, Pick<Door, "isOwn" | "names"> {
  readonly name: keyof typeof PEER_PACKAGES;
  /** What it prints when it is ready, or a moment before. */
  readonly ready: RegExp;
  readonly launch: (server: Target, port: string, folder: string) => PeerLaunch;
}

/** Other gateways in the configuration that carries most of the protocol. */
export function peerGateways(installed: InstalledPeers): readonly Gateway[] {
  const peers: readonly Peer[] = [
    {
      name: "mcp-proxy",
      ...ONE_STDIO_SERVER,
      ready: /starting server on port|listening/i,
      launch: (server, port) => {
        const { command, args, env = {} } = launched(server);
        const argv = [process.execPath, installed.programOf("mcp-proxy"), "--host", "127.0.0.1"];
        return { argv: [...argv, "--port", port, "--server", "stream", "--", command, ...args], env };
      },
    },
    {
      name: "supergateway",
      ...ONE_STDIO_SERVER,
      ready: /Listening on port/i,
      launch: (server, port) => {
        const { command, args, env = {} } = launched(server);
        // It takes the command as one line for a shell. None of ours has a quote in it.
        const line = [command, ...args].map((word) => `"${word}"`).join(" ");
        const argv = [process.execPath, installed.programOf("supergateway"), "--stdio", line];
        return { argv: [...argv, "--outputTransport", "streamableHttp", "--stateful", "--port", port], env };
      },
    },
    {
      name: "mcporter",
      reaches: ["stdio", "http"],
      isOwn: false,
      names: PREFIXED_NAMES,
      ready: /listening|http:\/\//i,
      launch: (server, port, folder) => {
        const file = join(folder, "mcporter.json");
        const row = { ...rowOf(server), lifecycle: "keep-alive" };
        writeFileSync(file, JSON.stringify({ mcpServers: { [SERVER_ID]: row }, imports: [] }));
        const argv = [installed.node24, installed.programOf("mcporter"), "--config", file];
        return { argv: [...argv, "serve", "--http", port], env: { HOME: folder, XDG_CONFIG_HOME: folder } };
      },
    },
  ];
  return peers.map(gatewayOf);
}

const ONE_STDIO_SERVER = { reaches: ["stdio"], isOwn: true, names: OWN_NAMES } as const;

function gatewayOf({ name, reaches, isOwn, names, ready, launch }: Peer): Gateway {
  const open: Door["open"] = async (server, { mark, folder }) => {
    const port = await freePort();
    const { argv, env } = launch(server, String(port), folder);
    const program = await startProgram(argv, { mark, env, cwd: folder, ready });
    // Some print that they are ready before they listen.
    await accepts(port);
    const target = { kind: "http" as const, url: `http://127.0.0.1:${port}/mcp` };
    return { target, [Symbol.asyncDispose]: async () => program[Symbol.asyncDispose]() };
  };
  return { name: `${name} ${PEER_PACKAGES[name]}`, reaches, doors: [{ name: "/mcp", isOwn, names, open }] };
}

function launched(server: Target): StdioTarget {
  if (server.kind !== "stdio") throw new Error(`reaches no server over ${server.kind}`);
  return server;
}
