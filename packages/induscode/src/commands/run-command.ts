import { openRun, productVersion, type RunOptions } from "../boot/internal.ts";
import {
  type CommandLine,
  commandWords,
  helpText,
  type SessionLine,
  type UsageProblem,
} from "../launch/internal.ts";
import { runIn } from "./runners.ts";

/**
 * Carries out a command line and resolves to the exit code. Only the command that runs is loaded. When the signal aborts,
 * the command cleans up and resolves; its exit code is then not used.
 */
export async function runCommand(line: CommandLine, options: RunOptions): Promise<number> {
  const { terminal } = options;
  switch (line.kind) {
    case "help": {
      const text = helpText(line.topic, terminal.outLook?.width);
      terminal.out(terminal.outLook?.hasColours ? await withBoldHeadings(text) : text);
      return 0;
    }
    case "version":
      terminal.out(`${productVersion()}\n`);
      return 0;
    case "overview": {
      const { overview } = await import("./overview.ts");
      await using run = await openRun(options);
      return await overview(run);
    }
    case "session": {
      const problem = sessionProblem(line);
      if (problem) {
        terminal.err(`indus: ${await usageLine(problem)}\n`);
        return 2;
      }
      const { cwd } = line.invocation;
      await using run = await openRun({ ...options, ...(cwd === undefined ? {} : { cwd }) });
      const { runSession } = await import("./session/run-session.ts");
      return await runSession(run, line);
    }
    case "usage":
      terminal.err(`indus: ${await usageLine(line)}\n`);
      return 2;
    case "command": {
      const { cwd } = line;
      await using run = await openRun({ ...options, ...(cwd === undefined ? {} : { cwd }) });
      return await runIn(run, line);
    }
  }
}

async function withBoldHeadings(text: string): Promise<string> {
  const { paint } = await import("../screen/internal.ts");
  return text.replaceAll(/^[A-Z]\w+:$/gm, (heading) => paint("bold", heading));
}

const HELP = "see indus --help";

async function usageLine({ problem, unknown }: UsageProblem): Promise<string> {
  if (!unknown) return `${problem}; ${HELP}`;
  const { suggestion } = await import("../screen/index.ts");
  return `${problem}; ${await suggestion(unknown.word, unknown.known, HELP)}`;
}

/** A prompt without `-p` that nobody can go on with. Often it is a misspelled command. */
function sessionProblem({ because, firstWord, invocation }: SessionLine): UsageProblem | undefined {
  const { print, listModels } = invocation;
  if (print || listModels) return undefined;
  const problem = `${because} needs -p, which answers one prompt and exits`;
  return {
    problem,
    ...(firstWord === undefined ? {} : { unknown: { word: firstWord, known: commandWords() } }),
  };
}
