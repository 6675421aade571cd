import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { openRun, type Run, type RunOptions } from "../../boot/internal.ts";
import { savedSessions, sessionsIn } from "../../conductor/internal.ts";
import {
  modelAdvice,
  NoModelError,
  type OpenedSession,
  openSession,
  readAttachments,
  readUserSettings,
} from "../../conductor/open/internal.ts";
import {
  openKeyboard,
  openPromptHistory,
  openStage,
  type ReplOptions,
  type ReplSession,
  runRepl,
} from "../../front/repl/index.ts";
import type { Invocation } from "../../launch/index.ts";
import type { SessionFlags } from "../../launch/internal.ts";
import { type Terminal, withMessages } from "../../screen/terminal/index.ts";
import { openBrowser } from "../../servers/login/index.ts";
import { mentionedServers } from "./mentioned-servers.ts";

export interface InteractiveLine {
  readonly invocation: Invocation;
  readonly flags: SessionFlags;
}

/** More sessions than a list shows, because some may be empty. */
const MAX_LISTED = 50;

/** Why this terminal cannot be used for a conversation. Undefined if it can. */
export function interactiveProblem({ terminal, env = process.env }: RunOptions): string | undefined {
  if (!terminal.keys || !terminal.outIsScreen)
    return "the interactive mode needs a terminal; use -p for one prompt, or --rpc for another program";
  return env["TERM"] === "dumb"
    ? "the interactive mode needs a terminal that can move its cursor, and TERM is dumb; use -p for one prompt"
    : undefined;
}

/** `indus` and `indus -i` on a terminal: a conversation, until the user leaves. Resolves to the exit code. */
export async function interactive(line: InteractiveLine, options: RunOptions): Promise<number> {
  const { terminal } = options;
  const stage = openStage(terminal);
  let isOpen = false;
  // Messages must not be written into lines that are redrawn.
  const messages = withMessages(terminal, (text) =>
    isOpen ? stage.printFolded(text.trimEnd()) : terminal.err(text),
  );
  await using run = await openRun({ ...options, terminal: messages });
  const code = await runRepl({
    stage,
    cwd: run.cwd,
    signal: run.signal,
    openBrowser,
    attached: (text) => mentionedFiles(text, run.cwd),
    first: firstMessage(line.invocation),
    open: async (user) => {
      const opened = await openSession(run, line.invocation, { flags: line.flags, user }).catch(
        async (thrown: unknown) => {
          throw thrown instanceof NoModelError
            ? new Error(await modelAdvice(run.env, terminal.errLook?.width))
            : thrown;
        },
      );
      if (!opened) throw new Error("the session could not be opened");
      isOpen = true;
      return replSession(opened);
    },
    keeping: {
      sessions: async () => savedSessions(sessionsIn((await run.state.folder()).path), { most: MAX_LISTED }),
      defaultModel: async () => (await readUserSettings(run.env)).values.model,
      keepModel: async (model) => (await import("../config.ts")).keepModel(run, model),
    },
    openKeyboard: () => keyboardOf(terminal),
    openHistory: () => historyOf(run),
  });
  isOpen = false;
  return code;
}

function replSession(opened: OpenedSession): ReplSession {
  return {
    ...opened,
    mentioned: mentionedServers(opened.servers),
    next: async (which) => replSession(await opened.next(which)),
  };
}

function keyboardOf(terminal: Terminal): ReturnType<typeof openKeyboard> {
  const { keys } = terminal;
  if (!keys) throw new Error("standard input is not a terminal");
  return openKeyboard({ input: keys, write: (text) => terminal.out(text) });
}

async function historyOf(run: Run): Promise<ReturnType<typeof openPromptHistory>> {
  const { path } = await run.state.folder();
  return openPromptHistory(join(path, "prompts.jsonl"), { report: run.report });
}

/** The files that a message names as `@path`. Other words that begin with `@` stay text. */
function mentionedFiles(text: string, cwd: string): ReturnType<typeof readAttachments> {
  const words = [...text.matchAll(/(?<=^|\s)@(\S+)/g)].map(([, word = ""]) => word);
  const paths = words.flatMap((word) => {
    // Punctuation after a path belongs to the sentence.
    const candidates = [word, word.replace(/[.,;:!?)\]}'"]+$/, "")].map((path) => resolve(cwd, path));
    return candidates.find((path) => statSync(path, { throwIfNoEntry: false })?.isFile()) ?? [];
  });
  return readAttachments([...new Set(paths)]);
}

function firstMessage({ prompt, attachments }: Invocation): ReplOptions["first"] {
  const files = readAttachments(attachments);
  const said = prompt === undefined ? [] : [{ kind: "text" as const, text: prompt }];
  const words = [
    ...(prompt === undefined ? [] : [prompt]),
    ...attachments.map((path) => `@${resolve(path)}`),
  ];
  return words.length > 0 ? { content: [...said, ...files], typed: words.join(" ") } : undefined;
}
