import { openRun, productVersion, type RunOptions } from "../boot/internal.ts";
import { defaultModel, ruleProblem } from "../conductor/open/internal.ts";
import {
  commandWords,
  helpText,
  type ParsedLine,
  parseArguments,
  type SessionLine,
  type UsageProblem,
} from "../launch/internal.ts";
import { COMMANDS } from "./command-table.ts";
import { runSubcommand } from "./subcommand.ts";

/**
 * Runs a command line and resolves to the exit code. Loads only the command that runs. When the signal aborts, the command
 * cleans up and resolves; its exit code is then ignored.
 */
export async function runCommand(line: ParsedLine, options: RunOptions): Promise<number> {
  const { terminal } = options;
  switch (line.kind) {
    case "help":
    case "version":
      await showText(line, terminal);
      return 0;
    case "overview": {
      const conversation = await defaultConversation(options);
      if (conversation) return runCommand(conversation, options);
      const { overview } = await import("./overview.ts");
      await using run = await openRun(options);
      return await overview(run, COMMANDS);
    }
    case "session": {
      const problem = (await sessionProblem(line)) ?? (await flagProblem(line));
      if (problem) {
        terminal.err(`indus: ${await usageLine(problem)}\n`);
        return 2;
      }
      const { cwd, print, listModels } = line.invocation;
      const placed = inFolder(options, cwd);
      if (isConversation(line)) {
        const { interactive, interactiveProblem } = await import("./session/interactive.ts");
        const obstacle = interactiveProblem(options);
        if (obstacle === undefined) return interactive(line, placed);
        terminal.err(`indus: ${await usageLine({ problem: obstacle })}\n`);
        return 2;
      }
      if (!print && !listModels) return (await import("./session/link.ts")).link(line, placed);
      await using run = await openRun(placed);
      if (listModels)
        return await (await import("./session/list-models.ts")).printModels(run, line.invocation);
      return await (await import("./session/one-shot.ts")).oneShot(run, line);
    }
    case "usage":
      terminal.err(`indus: ${await usageLine((await misspelled(line.firstWord)) ?? line)}\n`);
      return 2;
    case "command":
      return runSubcommand(line, COMMANDS, options);
  }
}

/** The help or the version. False for any other line: it runs something. */
export async function showText(line: ParsedLine, terminal: RunOptions["terminal"]): Promise<boolean> {
  if (line.kind === "version") {
    terminal.out(`${productVersion()}\n`);
    return true;
  }
  if (line.kind !== "help") return false;
  const text = helpText(COMMANDS, line.topic, terminal.outLook?.width);
  terminal.out(terminal.outLook?.hasColours ? await withBoldHeadings(text) : text);
  return true;
}

/** `--cwd` overrides the current folder. */
function inFolder(options: RunOptions, cwd: string | undefined): RunOptions {
  return cwd === undefined ? options : { ...options, cwd };
}

async function withBoldHeadings(text: string): Promise<string> {
  const { paint } = await import("../screen/internal.ts");
  return text.replaceAll(/^[A-Z]\w+:$/gm, (heading) => paint("bold", heading));
}

async function usageLine({ problem, hint, unknown, corrected, topic }: UsageProblem): Promise<string> {
  if (hint !== undefined) return `${problem}; ${hint}`;
  if (corrected) {
    const { shellLine } = await import("../screen/index.ts");
    return `${problem}: ${shellLine(["indus", ...corrected])}`;
  }
  const help = topic === undefined ? "see indus --help" : `see indus help ${topic}`;
  if (!unknown) return `${problem}; ${help}`;
  const { suggestion } = await import("../screen/index.ts");
  return `${problem}; ${await suggestion(unknown.word, unknown.known, help)}`;
}

/** A session in the terminal: neither `-p` nor `--rpc`. */
function isConversation({ invocation }: SessionLine): boolean {
  const { print, listModels, json } = invocation;
  return !print && !listModels && !json;
}

/** `indus` without arguments: a conversation, if there is a terminal and a model is configured. Undefined: only a short help. */
async function defaultConversation(options: RunOptions): Promise<SessionLine | undefined> {
  const { terminal, env = process.env } = options;
  if (!terminal.keys || !terminal.outIsScreen) return undefined;
  if ((await defaultModel(env)) === undefined) return undefined;
  const { interactiveProblem } = await import("./session/interactive.ts");
  const line = parseArguments(["--interactive"], COMMANDS);
  return line.kind === "session" && interactiveProblem(options) === undefined ? line : undefined;
}

/** A flag's value that its parser cannot check. */
async function flagProblem({ flags }: SessionLine): Promise<UsageProblem | undefined> {
  const problem = await ruleProblem(flags);
  return problem === undefined ? undefined : { problem };
}

/** A prompt without `-p` or `-i`, often a misspelled command. */
async function sessionProblem(line: SessionLine): Promise<UsageProblem | undefined> {
  const { because, firstWord, invocation } = line;
  const { print, json, interactive, listModels } = invocation;
  const hasWords = invocation.prompt !== undefined || invocation.attachments.length > 0;
  if (json && !print && !listModels && (hasWords || interactive))
    return {
      problem: `--json without -p takes its prompts as JSON-RPC, not ${hasWords ? "as words" : "from -i"}`,
    };
  if (!isConversation(line) || interactive || !hasWords) return undefined;
  const known = commandWords(COMMANDS);
  if (firstWord !== undefined && known.includes(firstWord))
    return {
      problem: `the command ${firstWord} comes before its flags; a prompt needs -p or -i`,
      topic: firstWord,
    };
  const wrong = await misspelled(firstWord);
  // With more words it may be a prompt after all.
  if (wrong)
    return invocation.prompt === firstWord ? wrong : { ...wrong, hint: `${wrong.hint} A prompt needs -p` };
  return {
    problem: `${because} needs -p, which answers it and exits, or -i, which keeps the conversation open`,
  };
}

/** A first word that is similar to a command. Undefined if it is not. */
async function misspelled(
  word: string | undefined,
): Promise<Required<Pick<UsageProblem, "problem" | "hint">> | undefined> {
  if (word === undefined || /\s/.test(word)) return undefined;
  const { nearCommands } = await import("./near-commands.ts");
  const near = await nearCommands(word, COMMANDS);
  if (near.length === 0) return undefined;
  return { problem: `unknown command ${JSON.stringify(word)}`, hint: `did you mean ${near.join(" or ")}?` };
}
