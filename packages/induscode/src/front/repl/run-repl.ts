import { describeError, escapeForDisplay, joinSignals, onAbort, untilAborted } from "indusagi/core";
import type { Session, SessionContent, SessionUser } from "../../conductor/index.ts";
import {
  type ContentParts,
  expandMessage,
  type MentionedServers,
  splitWords,
} from "../../conductor/mentions/index.ts";
import type { NextSession } from "../../conductor/open/internal.ts";
import { answerQuestions, sessionCaller } from "../../conductor/questions/index.ts";
import type { PolicyMode } from "../../policy/index.ts";
import { suggestion } from "../../screen/index.ts";
import { fitWidth, paint } from "../../screen/internal.ts";
import { approveCall, approvePlan } from "./dialogs/approve-call.ts";
import { type AskUserOptions, askUser } from "./dialogs/ask-user.ts";
import { Dialogs } from "./dialogs/dialogs.ts";
import { type Key, keyName } from "./input/key.ts";
import type { Keyboard } from "./input/open-keyboard.ts";
import type { PromptHistory } from "./input/prompt-history.ts";
import { type BeforePrompt, PromptReader, type PromptResult, shownPrompt } from "./input/prompt-reader.ts";
import { Suggester } from "./input/suggest.ts";
import type { ReplServers, SlashCommand, SlashContext } from "./slash/slash-context.ts";
import { SLASH_COMMANDS } from "./slash/slash-table.ts";
import type { Stage } from "./view/stage.ts";
import { showLastTurn, TurnView } from "./view/turn-view.ts";

/** The session of the interactive mode. */
export interface ReplSession {
  readonly session: Session;
  /** Absent with `--no-tools`. */
  readonly servers?: ReplServers | undefined;
  readonly mentioned?: MentionedServers | undefined;
  /** Opens another session in its place. Rejects if that one cannot be opened. */
  next(which: NextSession): Promise<ReplSession>;
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
  /** The first message, from the command line, and how a user would type it. */
  readonly first?: { readonly content: SessionContent; readonly typed: string } | undefined;
  /** What the commands about sessions and models need. */
  readonly keeping: SlashContext["keeping"];
}

const INTERRUPTED = 130;
/** See `DialogsOptions`. */
const QUIET_MS = 500;
/** The modes that Shift-Tab goes through. Never to the one that asks nothing. */
const MODES: readonly PolicyMode[] = ["default", "acceptEdits", "plan"];

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
    opened: () => repl?.opened ?? opened,
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
  opened: ReplSession;
  readonly #parts: ReplParts;
  readonly #reader: PromptReader;
  readonly #work = new RunningWork();
  readonly #disconnected: SlashContext["disconnected"] = new Map();
  readonly #suggester: Suggester;
  #stopListening = (): void => {};
  #contextShare = "";
  /** When a key for the next prompt was last typed during a turn. */
  #typedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: ReplParts) {
    const { stage } = parts.options;
    const { keyboard, history } = parts;
    this.#parts = parts;
    this.opened = parts.opened;
    this.#suggester = new Suggester({
      cwd: parts.options.cwd,
      commands: SLASH_COMMANDS,
      servers: parts.opened.mentioned,
      signal: parts.options.signal,
      changed: () => this.#reader.suggestionsChanged(),
    });
    this.#reader = new PromptReader({
      stage,
      keyboard,
      history,
      status: () => this.#status(),
      isCovered: () => this.dialogs.isOpen,
      suggest: (text) => this.#suggester.suggest(text),
      shortcut: (key) => this.#shortcut(key),
    });
    this.dialogs = new Dialogs({
      stage,
      keyboard,
      interrupt: () => this.#work.interrupt(),
      redraw: () => this.#reader.draw(),
      typedAtMs: () => this.#typedAtMs,
      quietMs: QUIET_MS,
      typeAhead: (key) => this.#typeAhead(key),
    });
  }

  async run(first: ReplOptions["first"]): Promise<number> {
    const { options } = this.#parts;
    const redraw = (): void => this.#redraw();
    process.stdout.on("resize", redraw);
    const stopWaiting = this.#parts.keyboard.onEnd(() => this.#work.interrupt());
    try {
      this.#begin("/help lists the commands");
      if (first !== undefined) await this.#turn(async () => first.content, first.typed);
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
      this.#stopListening();
    }
  }

  /** Shows the session that is open now. */
  #begin(note: string): void {
    const { options, view } = this.#parts;
    const { session } = this.opened;
    this.#stopListening = session.onEvent((event) => view.show(event));
    const place = `${escapeForDisplay(session.model)} in ${escapeForDisplay(session.cwd)}`;
    options.stage.printFolded(`${place}; ${note}`);
    showLastTurn(session, options.stage, view);
  }

  async #open(which: NextSession, note: string): Promise<void> {
    this.opened = await this.opened.next(which);
    this.#stopListening();
    this.#begin(note);
  }

  async #nextPrompt(): Promise<PromptResult> {
    const { signal } = this.#parts.options;
    let stop = (): void => {};
    const ended = new Promise<PromptResult>((resolve) => {
      stop = onAbort(signal, () => resolve({ kind: "leave", key: "ctrl-c" }));
    });
    try {
      return await Promise.race([this.#reader.read(this.#work.end), ended]);
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
    await this.#turn((signal) => this.#message(text, signal), text);
    return undefined;
  }

  #command(command: SlashCommand, words: readonly string[]): Promise<"leave" | undefined> {
    const { options } = this.#parts;
    const { session, servers } = this.opened;
    return this.#run((signal) =>
      command.run(
        {
          session,
          servers,
          open: (which, note) => this.#open(which, note),
          keeping: options.keeping,
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
    const { session, mentioned } = this.opened;
    const caller = sessionCaller(session, this.#parts.user);
    const expanded = await expandMessage(text, { servers: mentioned, signal, caller });
    if ("content" in expanded) return [...expanded.content, ...this.#parts.options.attached(text)];
    if ("problem" in expanded) this.#complain(expanded.problem);
    else {
      const known = [...SLASH_COMMANDS.map(({ name }) => name), ...expanded.known];
      const hint = await suggestion(expanded.unknownCommand, known, "/help lists the commands");
      this.#complain(`there is no command /${expanded.unknownCommand}; ${hint}`);
    }
    return undefined;
  }

  /** `typed`: what the user gets back if nothing answers the message. */
  async #turn(
    message: (signal: AbortSignal) => Promise<SessionContent | undefined>,
    typed: string,
  ): Promise<void> {
    const { options, view } = this.#parts;
    const { session } = this.opened;
    await this.#run(async (signal) => {
      const content = await message(signal);
      if (content === undefined) return;
      options.stage.print("");
      const before = session.turns().length;
      for await (const event of session.send(content, { signal })) view.show(event);
      if (session.turns().length === before) this.#reader.giveBack(typed);
    });
  }

  /** Runs work that Esc and Ctrl-C stop. Shows a failure as one line. */
  async #run<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result | undefined> {
    const { options, keyboard } = this.#parts;
    const stop = keyboard.listen((key) => {
      const name = keyName(key);
      if (name === "ctrl-c") this.#work.interrupt();
      else if (!this.#typeAhead(key) && name === "escape") this.#work.stop();
    });
    try {
      return await this.#work.run(options.signal, work);
    } catch (thrown) {
      if (this.#work.end !== "ended") this.#show("stopped", "dim");
      else if (!options.signal.aborted) this.#complain(describeError(thrown));
      return undefined;
    } finally {
      stop();
    }
  }

  /** False if the key does nothing in the next prompt. */
  #typeAhead(key: Key): boolean {
    this.#typedAtMs = performance.now();
    return this.#reader.typeAhead(key);
  }

  #shortcut(key: string): boolean {
    const { session } = this.opened;
    if (key === "ctrl-o") this.#parts.view.showWhole();
    else if (key === "shift-tab")
      session.setMode(MODES[(MODES.indexOf(session.mode) + 1) % MODES.length] ?? "default");
    else return false;
    return true;
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
    const { mode, model } = this.opened.session;
    // Short, to avoid wrapping on a narrow screen: some terminals then lose track of the cursor above.
    const name = escapeForDisplay(model.slice(model.lastIndexOf("/") + 1));
    const parts = [mode, this.#contextShare, name].filter((part) => part !== "");
    const text = fitWidth(parts.join(" · "), stage.width - 1);
    return stage.look.hasColours ? paint("dim", text) : text;
  }

  /** Refreshes what the prompt shows and suggests, without waiting for servers. */
  async #refresh(): Promise<void> {
    setImmediate(() => this.#suggester.refresh()); // The prompt is drawn first.
    const { tokens, windowTokens } = await this.opened.session.context();
    this.#contextShare = `${Math.round((100 * tokens) / Math.max(1, windowTokens))} % of the context`;
  }
}

/** Esc and the first Ctrl-C stop the running work, a second Ctrl-C the session. */
class RunningWork {
  #current: { readonly work: AbortController; readonly wait: AbortController } | undefined;
  #interrupts = 0;
  #isStopped = false;

  /** How the last work ended. */
  get end(): BeforePrompt {
    if (this.#interrupts > 0) return "interrupted";
    return this.#isStopped ? "stopped" : "ended";
  }

  /** The number of Ctrl-C since the last work started. */
  get interrupts(): number {
    return this.#interrupts;
  }

  stop(): void {
    this.#isStopped = true;
    this.#current?.work.abort(new Error("stopped by the user"));
  }

  interrupt(): void {
    this.#interrupts++;
    this.stop();
    // Do not wait for work that ignores the abort.
    if (this.#interrupts > 1) this.#current?.wait.abort(new Error("the user left"));
  }

  /** Rejects if the work fails, is stopped, or is abandoned. */
  async run<Result>(session: AbortSignal, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    this.#interrupts = 0;
    this.#isStopped = false;
    const current = { work: new AbortController(), wait: new AbortController() };
    this.#current = current;
    try {
      return await untilAborted(work(joinSignals(session, current.work.signal)), current.wait.signal);
    } finally {
      this.#current = undefined;
    }
  }
}
