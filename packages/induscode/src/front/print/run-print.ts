import { existsSync } from "node:fs";
import { describeError, escapeForDisplay } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import type { Session, SessionContent, SessionEvent } from "../../conductor/index.ts";
import { type ContentParts, expandMessage } from "../../conductor/mentions/index.ts";
import { type OpenedSession, openSession, readAttachments } from "../../conductor/open/internal.ts";
import type { SessionLine } from "../../launch/internal.ts";
import { showJsonLine } from "../../screen/index.ts";
import { mentionedServers } from "./mentioned-servers.ts";

/** `indus -p`: answers one prompt and resolves to the exit code. */
export async function oneShot(run: Run, { invocation, flags }: SessionLine): Promise<number> {
  const prompt = await promptOf(run, invocation);
  if (prompt === undefined) {
    run.report('-p needs a prompt: indus -p "PROMPT", or pipe it in');
    return 2;
  }
  const opened = await openSession(run, invocation, { flags, isOnlyTurn: true });
  const content = opened && (await expandPrompt(run, opened, prompt));
  if (!content) return 1;
  const { session } = opened;
  const printer = invocation.json ? createJsonPrinter(run, session) : createTextPrinter(run);
  let end: End | undefined;
  for await (const event of session.send(content, { signal: run.signal })) {
    if (event.kind === "end") end = event;
    else printer.show(event);
  }
  return end ? finish(run, session, { printer, end }) : 1;
}

/** The words, what was piped in, and what is attached. Undefined if there is nothing. */
async function promptOf(run: Run, invocation: SessionLine["invocation"]): Promise<GivenPrompt | undefined> {
  const { prompt = "", attachments } = invocation;
  const attached = sortAttachments(attachments);
  const isOptional = prompt !== "" || attachments.length > 0;
  const { signal, report, terminal } = run;
  const piped = (await terminal.piped?.({ signal, isOptional, report })) ?? "";
  const text = [prompt, piped.trimEnd()].filter((part) => part.trim() !== "").join("\n\n");
  return text === "" && attachments.length === 0 ? undefined : { text, ...attached };
}

interface Finished {
  readonly printer: TurnPrinter;
  readonly end: End;
}

async function finish(run: Run, session: Session, { printer, end }: Finished): Promise<number> {
  printer.end(end, { usage: session.usage(), context: await session.context(), text: lastText(session) });
  if (run.signal.aborted) return 1;
  const problem = problemOf(end);
  if (problem !== undefined) run.report(problem);
  return problem === undefined ? 0 : 1;
}

function problemOf({ reason, steps, error }: End): string | undefined {
  switch (reason) {
    case "stop":
    case "other":
      return undefined;
    case "length":
      return "the answer is cut off: it reached the model's limit";
    case "refused":
      return "the model refused to answer";
    case "step_limit":
      return `stopped after ${steps} steps; continue with indus -p --continue`;
    case "repeating":
      return "stopped: the model made the same call again and again";
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

/** A prompt before the servers are there: its words, its files, and the resources that it names. */
interface GivenPrompt {
  readonly text: string;
  readonly files: ContentParts;
  /** The words after `@` that are not files but look like `server:uri`. */
  readonly resources: readonly string[];
}

/** Throws, naming the file, if one cannot be used. */
function sortAttachments(words: readonly string[]): Pick<GivenPrompt, "files" | "resources"> {
  const resources = words.filter((word) => /^[A-Za-z0-9_.-]+:\S/.test(word) && !existsSync(word));
  return { files: readAttachments(words.filter((word) => !resources.includes(word))), resources };
}

/**
 * The message for the model, with the prompt of a server in the place of `/server__prompt`, and with the resources that it
 * names. Undefined if there is none, which was reported.
 */
async function expandPrompt(
  run: Run,
  { servers }: OpenedSession,
  { text, files, resources }: GivenPrompt,
): Promise<SessionContent | undefined> {
  const mentioned = mentionedServers(servers);
  const ready = mentioned?.ready() ?? [];
  const unknown = resources.find((word) => !ready.includes(word.split(":")[0] ?? ""));
  if (unknown !== undefined) {
    run.report(`@${unknown} cannot be attached: there is no such file, and no connected server of that name`);
    return undefined;
  }
  const words = [text, ...resources.map((resource) => `@${resource}`)].filter((part) => part !== "");
  const expanded = await expandMessage(words.join("\n"), { servers: mentioned, signal: run.signal });
  if ("problem" in expanded) {
    run.report(expanded.problem);
    return undefined;
  }
  // What begins with a slash and is not the name of a prompt is the user's own text.
  const own = [{ kind: "text" as const, text }].filter((part) => part.text !== "");
  return [...("content" in expanded ? expanded.content : own), ...files];
}

type End = Extract<SessionEvent, { readonly kind: "end" }>;

/** What is known when a turn is over. */
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

/** One event a line. The first line describes the session, the last one also the tokens of all of it. */
function createJsonPrinter({ terminal }: Run, session: Session): TurnPrinter {
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
 * The answer as text. On a screen everything that the model says appears as it comes; a file or a pipe gets only the last
 * message. Notices and plans go to standard error.
 */
function createTextPrinter({ terminal, report }: Run): TurnPrinter {
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
