import { productVersion } from "../boot/index.ts";
import { openRun, type Run, type RunOptions } from "../boot/internal.ts";
import type { Invocation, UsageProblem } from "../launch/index.ts";

/**
 * Carries out a command line and resolves to the exit code. Only the command that runs is loaded. When the signal aborts,
 * the command cleans up and resolves; its exit code is then not used.
 */
export async function runCommand(invocation: Invocation, options: RunOptions): Promise<number> {
  const { terminal } = options;
  switch (invocation.command) {
    case "help": {
      const { helpText } = await import("../launch/internal.ts");
      const text = helpText(invocation.topic);
      terminal.out(terminal.outLook?.hasColours ? await withBoldHeadings(text) : text);
      return 0;
    }
    case "version":
      terminal.out(`${productVersion()}\n`);
      return 0;
    case "usage":
      terminal.err(`indus: ${await usageLine(invocation)}\n`);
      return 2;
    default: {
      await using run = await openRun(options);
      return await runIn(run, invocation);
    }
  }
}

async function withBoldHeadings(text: string): Promise<string> {
  const { paint } = await import("../screen/internal.ts");
  return text.replaceAll(/^[A-Z]\w+:$/gm, (heading) => paint("bold", heading));
}

async function usageLine({ problem, unknown }: UsageProblem): Promise<string> {
  const help = "see indus --help";
  if (!unknown) return `${problem}; ${help}`;
  const { suggestion } = await import("../screen/index.ts");
  return `${problem}; ${await suggestion(unknown.word, unknown.known, help)}`;
}

type RunInvocation = Exclude<Invocation, { readonly command: "help" | "version" | "usage" }>;

async function runIn(run: Run, invocation: RunInvocation): Promise<number> {
  switch (invocation.command) {
    case "tools": {
      const { tools } = await import("./tools.ts");
      return tools(run, invocation);
    }
    case "call": {
      const { call } = await import("./call.ts");
      return call(run, invocation);
    }
    case "mcp list": {
      const { mcpList } = await import("./mcp-list.ts");
      return mcpList(run, invocation);
    }
    case "mcp call": {
      const { mcpCall } = await import("./mcp-call.ts");
      return mcpCall(run, invocation);
    }
    case "mcp warm": {
      const { mcpWarm } = await import("./mcp-warm.ts");
      return mcpWarm(run, invocation);
    }
    case "serve": {
      const { serve } = await import("./serve.ts");
      return serve(run, invocation);
    }
  }
}
