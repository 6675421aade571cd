import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StdioTarget, Target } from "../wire/target.ts";
import { type Gateway, OWN_NAMES, PREFIXED_NAMES, rowOf, SERVER_ID } from "./gateway.ts";
import { accepts, freePort, type ProgramOptions, startProgram } from "./processes.ts";
import type { OpenTarget } from "./subject.ts";

/** Where a package of npm was installed, and the Node that runs it. */
export interface InstalledPeers {
  readonly node24: string;
  programOf(name: string): string;
}

/** The versions that the page compares with. */
export const PEER_PACKAGES = { "mcp-proxy": "6.7.19", supergateway: "4.0.0", mcporter: "0.12.3" } as const;

/** Other gateways in the configuration that carries most of the protocol. */
export function peerGateways(installed: InstalledPeers): readonly Gateway[] {
  return [
    {
      name: `mcp-proxy ${PEER_PACKAGES["mcp-proxy"]}`,
      reaches: ["stdio"],
      doors: [
        {
          name: "/mcp",
          isOwn: true,
          names: OWN_NAMES,
          open: async (server, { mark, folder }) => {
            const port = await freePort();
            const { command, args, env = {} } = launched(server);
            const argv = [process.execPath, installed.programOf("mcp-proxy"), "--host", "127.0.0.1"];
            argv.push("--port", String(port), "--server", "stream", "--", command, ...args);
            const options = { mark, env, cwd: folder, ready: /starting server on port|listening/i };
            return overHttp(argv, `http://127.0.0.1:${port}/mcp`, options);
          },
        },
      ],
    },
    {
      name: `supergateway ${PEER_PACKAGES.supergateway}`,
      reaches: ["stdio"],
      doors: [
        {
          name: "/mcp",
          isOwn: true,
          names: OWN_NAMES,
          open: async (server, { mark, folder }) => {
            const port = await freePort();
            const { command, args, env = {} } = launched(server);
            // It takes the command as one line for a shell. None of ours has a quote in it.
            const line = [command, ...args].map((word) => `"${word}"`).join(" ");
            const argv = [process.execPath, installed.programOf("supergateway"), "--stdio", line];
            argv.push("--outputTransport", "streamableHttp", "--stateful", "--port", String(port));
            const options = { mark, env, cwd: folder, ready: /Listening on port/i };
            return overHttp(argv, `http://127.0.0.1:${port}/mcp`, options);
          },
        },
      ],
    },
    {
      name: `mcporter ${PEER_PACKAGES.mcporter}`,
      reaches: ["stdio", "http"],
      doors: [
        {
          name: "/mcp",
          isOwn: false,
          names: PREFIXED_NAMES,
          open: async (server, { mark, folder }) => {
            const port = await freePort();
            const file = join(folder, "mcporter.json");
            const row = { ...rowOf(server), lifecycle: "keep-alive" };
            writeFileSync(file, JSON.stringify({ mcpServers: { [SERVER_ID]: row }, imports: [] }));
            const argv = [installed.node24, installed.programOf("mcporter"), "--config", file];
            argv.push("serve", "--http", String(port));
            const env = { HOME: folder, XDG_CONFIG_HOME: folder };
            return overHttp(argv, `http://127.0.0.1:${port}/mcp`, {
              mark,
              env,
              cwd: folder,
              ready: /listening|http:\/\//i,
            });
          },
        },
      ],
    },
  ];
}

async function overHttp(argv: readonly string[], url: string, options: ProgramOptions): Promise<OpenTarget> {
  const program = await startProgram(argv, options);
  // Some print that they are ready before they listen.
  await accepts(Number(new URL(url).port));
  return { target: { kind: "http", url }, [Symbol.asyncDispose]: async () => program[Symbol.asyncDispose]() };
}

function launched(server: Target): StdioTarget {
  if (server.kind !== "stdio") throw new Error(`reaches no server over ${server.kind}`);
  return server;
}
