import { productVersion, type Terminal } from "../boot/index.ts";
import type { Invocation } from "../launch/index.ts";
import { HELP } from "./help.ts";

/**
 * Carries out what the command line asked for; resolves to the exit code. Only the command that runs is loaded.
 * When the signal aborts, the command cleans up and resolves; then its exit code means nothing.
 */
export async function runInvocation(
  invocation: Invocation,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  switch (invocation.command) {
    case "help":
      terminal.out(HELP);
      return 0;
    case "version":
      terminal.out(`${productVersion()}\n`);
      return 0;
    case "tools": {
      const { listTools } = await import("./list-tools.ts");
      return listTools(terminal, invocation);
    }
    case "call": {
      const { callTool } = await import("./call-tool.ts");
      return callTool(terminal, invocation, signal);
    }
    case "mcp list": {
      const { listServers } = await import("./list-servers.ts");
      return listServers(terminal, invocation, signal);
    }
    case "mcp call": {
      const { callServerTool } = await import("./call-server-tool.ts");
      return callServerTool(terminal, invocation, signal);
    }
    case "serve": {
      const { serve } = await import("./serve.ts");
      return serve(terminal, invocation, signal);
    }
    case "usage":
      terminal.err(`indus: ${invocation.problem}; see indus --help\n`);
      return 2;
  }
}
