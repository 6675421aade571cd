import { describeError, escapeForDisplay, joinSignals, onAbort, untilAborted } from "indusagi/core";
import type { Session, SessionContent, SessionUser } from "../../conductor/index.ts";
import {
  type ContentParts,
  expandMessage,
  type MentionedServers,
  promptCommands,
  splitWords,
} from "../../conductor/mentions/index.ts";
import { answerQuestions, sessionCaller } from "../../conductor/questions/index.ts";
import { suggestion } from "../../screen/index.ts";
import { fitWidth, paint } from "../../screen/internal.ts";
import { approveCall } from "./dialogs/approve-call.ts";
import { approvePlan } from "./dialogs/approve-plan.ts";
import { type AskUserOptions, askUser } from "./dialogs/ask-user.ts";
import { Dialogs } from "./dialogs/dialogs.ts";
import { completePath } from "./input/complete-path.ts";
import type { Key } from "./input/key.ts";
import type { Keyboard } from "./input/open-keyboard.ts";
import type { PromptHistory } from "./input/prompt-history.ts";
import { PromptReader, type PromptResult, shownPrompt } from "./input/prompt-reader.ts";
import type { ReplServers, SlashCommand, SlashContext } from "./slash/slash-context.ts";
import { SLASH_COMMANDS } from "./slash/slash-table.ts";
import { showLastTurn } from "./view/last-turn.ts";
import type { Stage } from "./view/stage.ts";
import { TurnView } from "./view/turn-view.ts";

/** The session of the interactive mode. */
interface ReplSession {
  readonly session: Session;
  /** Absent with `--no-tools`. */
  readonly servers?: ReplServers | undefined;
  readonly mentioned?: MentionedServers | undefined;
}

export interface ReplOptions {
  readonly stage: Stage;
  readonly cwd: string;
  /** Aborts when the program must end. */
  readonly signal: AbortSignal;
  /** Opens a URL in the browser. False if no browser could be started. */
  readonly openBrowser: (url: URL) => Promise<boolean>;
  /** Opens the session for this user. Until then, Ctrl-C exits the program as usual. */
  readonly open: (user: SessionUser) => Promise<ReplSession>;
  /** Takes over the keys. */
  readonly openKeyboard: () => Promise<Keyboard>;
  readonly openHistory: () => Promise<PromptHistory>;
  /** The files that a message names as `@path`. Throws, naming the file, if one cannot be sent. */
  readonly attached: (text: string) => ContentParts;
  /** The first message, from the command line. */
  readonly first?: SessionContent | undefined;
}

const INTERRUPTED = 130;
/** A typing user presses the next key sooner. */
const TYPING_MS = 500;

/**
 * The interactive mode: reads prompts and commands and shows the answers until the user leaves. Resolves to the exit code.
 * Always restores the terminal.
 */
export async function runRepl(options: ReplOptions): Promise<number> {
  const { stage, cwd, signal, openBrowser, first } = options;
  using view = new TurnView(stage);
  let opened: ReplSession | undefined;
  let repl: Repl | undefined;
  const user = replUser({
    cwd,
    stage,
    openBrowser,
    running: () => view.running,
    dialogs: () => repl?.dialogs,
    opened: () => opened,
  });
  opened = await options.open(user);
  signal.throwIfAborted();
  const history = await options.openHistory();
  using keyboard = await options.openKeyboard();
  using _stage = stage;
  repl = new Repl({ options, opened, user, view, keyboard, history });
  // Awaited, so the keyboard is closed after it.
  return await repl.run(first);
}

interface ReplUserOptions extends Pick<AskUserOptions, "running" | "openBrowser" | "stage"> {
  readonly cwd: string;
  /** Undefined until there is a prompt. */
  readonly dialogs: () => AskUserOptions["dialogs"] | undefined;
  readonly opened: () => ReplSession | undefined;
}

/** The user at the terminal. */
function replUser({ cwd, dialogs, opened, ...options }: ReplUserOptions): SessionUser {
  const ready = (): AskUserOptions["dialogs"] => {
    const found = dialogs();
    if (!found) throw new Error("the session is not open yet");
    return found;
  };
  let user: ReturnType<typeof askUser> | undefined;
  const asked = (): ReturnType<typeof askUser> => (user ??= askUser({ ...options, dialogs: ready() }));
  return {
    approve: async (question) => approveCall(ready(), options.stage, question),
    approvePlan: async (question) => approvePlan(ready(), options.stage, question),
    ...answerQuestions({
      cwd,
      session: () => opened()?.session,
      user: {
        fillForm: async (question, signal) => asked().fillForm(question, signal),
        visitUrl: async (question, signal) => asked().visitUrl(question, signal),
        approveSampling: async (question, signal) => asked().approveSampling(question, signal),
      },
    }),
  };
}

interface ReplParts {
  readonly options: ReplOptions;
  readonly opened: ReplSession;
  readonly user: SessionUser;
  readonly view: TurnView;
  readonly keyboard: Keyboard;
  readonly history: PromptHistory;
}

class Repl {
  readonly dialogs: Dialogs;
  readonly #parts: ReplParts;
  readonly #reader: PromptReader;
  readonly #work = new RunningWork();
  readonly #disconnected: SlashContext["disconnected"] = new Map();
  #promptNames: readonly string[] = [];
  #contextShare = "";
  /** When a key for the next prompt was last typed during a turn. */
  #typedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: ReplParts) {
    const { stage } = parts.options;
    const { keyboard, history } = parts;
    this.#parts = parts;
    this.#reader = new PromptReader({
      stage,
      keyboard,
      history,
      status: () => this.#status(),
      isCovered: () => this.dialogs.isOpen,
      complete: (text) => this.#completions(text),
    });
    this.dialogs = new Dialogs({
      stage,
      keyboard,
      interrupt: () => this.#work.interrupt(),
      redraw: () => this.#reader.draw(),
      isTyping: () => performance.now() - this.#typedAtMs < TYPING_MS,
      typeAhead: (key) => this.#typeAhead(key),
    });
  }

  async run(first: SessionContent | undefined): Promise<number> {
    const { options, opened, view } = this.#parts;
    const { session } = opened;
    const stopListening = session.onEvent((event) => view.show(event));
    const redraw = (): void => this.#redraw();
    process.stdout.on("resize", redraw);
    const stopWaiting = this.#parts.keyboard.onEnd(() => this.#work.interrupt());
    try {
      const place = `${escapeForDisplay(session.model)} in ${escapeForDisplay(session.cwd)}`;
      options.stage.printFolded(`${place}; /help lists the commands`);
      showLastTurn(session, options.stage, view);
      if (first !== undefined) await this.#turn(async () => first);
      for (;;) {
        await this.#refresh();
        const result = await this.#nextPrompt();
        if (result.kind === "leave") return result.key === "ctrl-c" ? INTERRUPTED : 0;
        if ((await this.#handle(result.text)) === "leave") return 0;
        if (options.signal.aborted || this.#work.interrupts > 1) return INTERRUPTED;
      }
    } finally {
      process.stdout.removeListener("resize", redraw);
      stopWaiting();
      stopListening();
    }
  }

  async #nextPrompt(): Promise<PromptResult> {
    const { signal } = this.#parts.options;
    let stop = (): void => {};
    const ended = new Promise<PromptResult>((resolve) => {
      stop = onAbort(signal, () => resolve({ kind: "leave", key: "ctrl-c" }));
    });
    try {
      return await Promise.race([this.#reader.read({ isInterrupted: this.#work.interrupts > 0 }), ended]);
    } finally {
      stop();
    }
  }

  async #handle(text: string): Promise<"leave" | undefined> {
    const { stage } = this.#parts.options;
    stage.print(`\n${shownPrompt(text, stage.width)}`);
    const [, name = "", rest = ""] = /^\/([\w-]+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
    const command = SLASH_COMMANDS.find((each) => each.name === name);
    if (command) return this.#command(command, splitWords(rest));
    await this.#turn((signal) => this.#message(text, signal));
    return undefined;
  }

  #command(command: SlashCommand, words: readonly string[]): Promise<"leave" | undefined> {
    const { options, opened } = this.#parts;
    return this.#run((signal) =>
      command.run(
        {
          session: opened.session,
          servers: opened.servers,
          disconnected: this.#disconnected,
          stage: options.stage,
          dialogs: this.dialogs,
          complain: (message) => this.#complain(message),
          signal,
        },
        words,
      ),
    );
  }

  /** The message for the model. If there is none, shows why and returns undefined. */
  async #message(text: string, signal: AbortSignal): Promise<SessionContent | undefined> {
    const { opened, user } = this.#parts;
    const caller = sessionCaller(opened.session, user);
    const expanded = await expandMessage(text, { servers: opened.mentioned, signal, caller });
    if ("content" in expanded) return [...expanded.content, ...this.#parts.options.attached(text)];
    if ("problem" in expanded) this.#complain(expanded.problem);
    else {
      const known = [...SLASH_COMMANDS.map(({ name }) => name), ...expanded.known];
      const hint = await suggestion(expanded.unknownCommand, known, "/help lists the commands");
      this.#complain(`there is no command /${expanded.unknownCommand}; ${hint}`);
    }
    return undefined;
  }

  async #turn(message: (signal: AbortSignal) => Promise<SessionContent | undefined>): Promise<void> {
    const { options, opened, view } = this.#parts;
    await this.#run(async (signal) => {
      const content = await message(signal);
      if (content === undefined) return;
      options.stage.print("");
      for await (const event of opened.session.send(content, { signal })) view.show(event);
    });
  }

  /** Runs work that Ctrl-C stops. Shows a failure as one line. */
  async #run<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result | undefined> {
    const { options, keyboard } = this.#parts;
    const stop = keyboard.listen((key) => {
      if (key.ctrl && key.name === "c") this.#work.interrupt();
      else this.#typeAhead(key);
    });
    try {
      return await this.#work.run(options.signal, work);
    } catch (thrown) {
      if (this.#work.interrupts > 0) this.#show("stopped", "dim");
      else if (!options.signal.aborted) this.#complain(describeError(thrown));
      return undefined;
    } finally {
      stop();
    }
  }

  #typeAhead(key: Key): void {
    this.#typedAtMs = performance.now();
    this.#reader.typeAhead(key);
  }

  /** After a resize of the screen. */
  #redraw(): void {
    this.#parts.view.redraw();
    this.dialogs.redraw();
    this.#reader.draw();
  }

  #complain(message: string): void {
    this.#show(message, "yellow");
  }

  #show(message: string, style: "dim" | "yellow"): void {
    const { stage } = this.#parts.options;
    const safe = escapeForDisplay(message);
    stage.printFolded(stage.look.hasColours ? paint(style, safe) : safe);
  }

  #status(): string {
    const { stage } = this.#parts.options;
    const { mode, model } = this.#parts.opened.session;
    // Short, to avoid wrapping on a narrow screen: some terminals then lose track of the cursor above.
    const name = escapeForDisplay(model.slice(model.lastIndexOf("/") + 1));
    const parts = [mode, this.#contextShare, name].filter((part) => part !== "");
    const text = fitWidth(parts.join(" · "), stage.width - 1);
    return stage.look.hasColours ? paint("dim", text) : text;
  }

  #completions(text: string): readonly string[] {
    const [, before, path] = /^((?:[\s\S]*\s)?@)(\S*)$/.exec(text) ?? [];
    if (path !== undefined) return completePath(path, this.#parts.options.cwd).map((each) => before + each);
    if (!text.startsWith("/")) return [];
    const commands = SLASH_COMMANDS.flatMap(({ name, words = [] }) =>
      text.startsWith(`/${name} `) ? words.map((word) => `${name} ${word}`) : [name],
    );
    return [...commands, ...this.#promptNames]
      .map((name) => `/${name}`)
      .filter((name) => name.startsWith(text));
  }

  /** Refreshes what the prompt shows and completes, without waiting for servers. */
  async #refresh(): Promise<void> {
    const { tokens, windowTokens } = await this.#parts.opened.session.context();
    this.#contextShare = `${Math.round((100 * tokens) / Math.max(1, windowTokens))} % of the context`;
    setImmediate(() => void this.#learnPrompts()); // The prompt is drawn first.
  }

  async #learnPrompts(): Promise<void> {
    const { options, opened } = this.#parts;
    if (!opened.mentioned) return;
    try {
      const prompts = await promptCommands(opened.mentioned, options.signal);
      this.#promptNames = prompts.map(({ name }) => name);
    } catch {
      // The session ends.
    }
  }
}

/** The first Ctrl-C stops the running work, a second one the session. */
class RunningWork {
  #current: { readonly work: AbortController; readonly wait: AbortController } | undefined;
  #interrupts = 0;

  /** The number of Ctrl-C since the last work started. */
  get interrupts(): number {
    return this.#interrupts;
  }

  interrupt(): void {
    this.#interrupts++;
    this.#current?.work.abort(new Error("stopped by the user"));
    // Do not wait for work that ignores the abort.
    if (this.#interrupts > 1) this.#current?.wait.abort(new Error("the user left"));
  }

  /** Rejects if the work fails, is stopped, or is abandoned. */
  async run<Result>(session: AbortSignal, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    this.#interrupts = 0;
    const current = { work: new AbortController(), wait: new AbortController() };
    this.#current = current;
    try {
      return await untilAborted(work(joinSignals(session, current.work.signal)), current.wait.signal);
    } finally {
      this.#current = undefined;
    }
  }
}
