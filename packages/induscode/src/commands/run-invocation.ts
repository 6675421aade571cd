import { productVersion, type Terminal } from "../boot/index.ts";
import type { Invocation } from "../launch/index.ts";
import { HELP } from "./help.ts";

/** Carries out what the command line asked for; resolves to the exit code. Only the command that runs is loaded. */
export async function runInvocation(invocation: Invocation, terminal: Terminal): Promise<number> {
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
      return callTool(terminal, invocation);
    }
    case "usage":
      terminal.err(`indus: ${invocation.problem}; see indus --help\n`);
      return 2;
  }
}
