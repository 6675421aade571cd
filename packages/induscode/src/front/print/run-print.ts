import { describeError, escapeForDisplay } from "indusagi/core";
import type { Session, SessionContent, SessionEvent } from "../../conductor/index.ts";
import { type ContentParts, expandMessage, type MentionedServers } from "../../conductor/mentions/index.ts";
import { showJsonLine } from "../../screen/index.ts";
import type { Terminal } from "../../screen/terminal/index.ts";

/** A prompt before the session is open: its words, its files, and the resources that it names. */
export interface GivenPrompt {
  readonly text: string;
  readonly files: ContentParts;
  /** As `server:uri`. */
  readonly resources: readonly string[];
}

export interface PrintTurnOptions {
  readonly prompt: GivenPrompt;
  /** Prints events as JSON instead of text. */
  readonly json: boolean;
  readonly terminal: Terminal;
  /** Aborts when the program must end. */
  readonly signal: AbortSignal;
  readonly report: (message: string) => void;
  /** Undefined if the session could not be opened, which was reported. */
  readonly open: () => Promise<PrintSession | undefined>;
}

interface PrintSession {
  readonly session: Session;
  /** Absent with `--no-tools`. */
  readonly mentioned?: MentionedServers | undefined;
}

/** Answers one prompt, prints the turn, and resolves to the exit code. */
export async function runPrint(options: PrintTurnOptions): Promise<number> {
  const opened = await options.open();
  const content = opened && (await expandPrompt(options, opened.mentioned));
  if (!content) return 1;
  const { session } = opened;
  const printer = options.json ? createJsonPrinter(options, session) : createTextPrinter(options);
  let end: End | undefined;
  for await (const event of session.send(content, { signal: options.signal })) {
    if (event.kind === "end") end = event;
    else printer.show(event);
  }
  return end ? finish(options, session, { printer, end }) : 1;
}

/**
 * The message for the model, with a server's prompt in place of `/server__prompt`, and with the resources that it names. If
 * there is none, reports why and returns undefined.
 */
async function expandPrompt(
  { prompt, signal, report }: PrintTurnOptions,
  servers: MentionedServers | undefined,
): Promise<SessionContent | undefined> {
  const { text, files, resources } = prompt;
  const ready = servers ? [...servers.ready(), ...servers.starting()] : [];
  const unknown = resources.find((word) => !ready.includes(word.split(":")[0] ?? ""));
  if (unknown !== undefined) {
    report(`@${unknown} cannot be attached: there is no such file, and no connected server of that name`);
    return undefined;
  }
  const words = [text, ...resources.map((resource) => `@${resource}`)].filter((part) => part !== "");
  const expanded = await expandMessage(words.join("\n"), { servers, signal });
  if ("problem" in expanded) {
    report(expanded.problem);
    return undefined;
  }
  // A leading slash that names no prompt is the user's own text.
  const own = [{ kind: "text" as const, text }].filter((part) => part.text !== "");
  return [...("content" in expanded ? expanded.content : own), ...files];
}

interface Finished {
  readonly printer: TurnPrinter;
  readonly end: End;
}

async function finish(
  options: PrintTurnOptions,
  session: Session,
  { printer, end }: Finished,
): Promise<number> {
  printer.end(end, { usage: session.usage(), context: await session.context(), text: lastText(session) });
  if (options.signal.aborted) return 1;
  const problem = problemOf(end);
  if (problem !== undefined) options.report(problem);
  return problem === undefined ? 0 : 1;
}

function problemOf({ reason, steps, error }: End): string | undefined {
  switch (reason) {
    case "stop":
    case "other":
      return undefined;
    case "length":
      return "the answer is cut off at the model's limit";
    case "refused":
      return "the model refused to answer";
    case "step_limit":
      return `stopped after ${steps} steps; continue with indus -p --continue`;
    case "repeating":
      return "stopped: the model kept repeating the same call";
    case "aborted":
      return "stopped before the answer was complete";
    case "failed":
      return error instanceof Error ? error.message : String(error);
  }
}

/** The last message of the model. */
function lastText(session: Session): string {
  const last = session.transcript().findLast((entry) => entry.kind === "assistant");
  if (last?.kind !== "assistant") return "";
  return last.content.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
}

type End = Extract<SessionEvent, { readonly kind: "end" }>;

/** What is known at the end of a turn. */
interface TurnSummary {
  readonly usage: ReturnType<Session["usage"]>;
  readonly context: Awaited<ReturnType<Session["context"]>>;
  /** The last message of the model. */
  readonly text: string;
}

/** Prints the events of one turn. */
interface TurnPrinter {
  show(event: Exclude<SessionEvent, End>): void;
  end(event: End, summary: TurnSummary): void;
}

/** One event per line. The first line describes the session; the last one adds its total tokens. */
function createJsonPrinter({ terminal }: PrintTurnOptions, session: Session): TurnPrinter {
  const { id, cwd, model, mode, box } = session;
  const tools = box.descriptors().map(({ name }) => name);
  terminal.out(showJsonLine({ kind: "session", id, cwd, model, mode, tools }));
  return {
    show: (event) => terminal.out(showJsonLine(event)),
    end: ({ error, ...event }, { usage, context }) => {
      const failed = error === undefined ? {} : { error: describeError(error) };
      terminal.out(showJsonLine({ ...event, ...failed, session: { usage, context } }));
    },
  };
}

/**
 * The answer as text. A terminal gets everything the model says as it arrives; a file or pipe gets only the last message.
 * Notices and plans go to standard error.
 */
function createTextPrinter({ terminal, report }: PrintTurnOptions): TurnPrinter {
  const isScreen = terminal.outIsScreen ?? false;
  let isLineOpen = false;
  const say = (text: string): void => {
    if (text === "") return;
    terminal.out(isScreen ? escapeForDisplay(text, { keepNewlines: true }) : text);
    isLineOpen = !text.endsWith("\n");
  };
  const endLine = (): void => {
    if (isLineOpen) say("\n");
  };
  return {
    show: (event) => {
      if (event.kind === "notice") report(event.message);
      if (event.kind === "plan" && event.state === "presented") {
        report(`the plan${event.path === undefined ? "" : ` is kept in ${event.path}`}:`);
        terminal.err(`${escapeForDisplay(event.plan.trimEnd(), { keepNewlines: true })}\n`);
      }
      if (event.kind === "compaction_failed")
        report(`the conversation could not be shortened: ${event.message}`);
      if (event.kind === "entry" && event.entry.kind === "compaction")
        report("the conversation was shortened");
      if (!isScreen) return;
      if (event.kind === "text_delta") say(event.text);
      if (event.kind === "entry") endLine();
    },
    end: (_event, { usage, context, text }) => {
      if (!isScreen) say(text);
      endLine();
      if (terminal.errIsScreen) report(showTokens(usage, context));
    },
  };
}

/** `1,204 tokens in (83 % from the cache), 88 out; 3 % of the context is used`. */
function showTokens(
  { inputTokens = 0, outputTokens = 0, cacheHitShare }: TurnSummary["usage"],
  { tokens, windowTokens }: TurnSummary["context"],
): string {
  const count = (number: number): string => number.toLocaleString("en-US");
  const cached = cacheHitShare === undefined ? "" : ` (${Math.round(cacheHitShare * 100)} % from the cache)`;
  const used = Math.round((tokens / windowTokens) * 100);
  return `${count(inputTokens)} tokens in${cached}, ${count(outputTokens)} out; ${used} % of the context is used`;
}
