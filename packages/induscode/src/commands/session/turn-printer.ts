import { describeError, escapeForDisplay } from "indusagi/core";
import type { Run, Session, SessionEvent } from "../../boot/internal.ts";
import { showJsonLine } from "../../screen/index.ts";

type End = Extract<SessionEvent, { readonly kind: "end" }>;

/** What is known when a turn is over. */
interface TurnSummary {
  readonly usage: ReturnType<Session["usage"]>;
  readonly context: Awaited<ReturnType<Session["context"]>>;
  /** The last message of the model. */
  readonly text: string;
}

/** Prints the events of one turn. */
export interface TurnPrinter {
  show(event: Exclude<SessionEvent, End>): void;
  end(event: End, summary: TurnSummary): void;
}

/** One event a line. The first line describes the session, the last one also the tokens of all of it. */
export function createJsonPrinter({ terminal }: Run, session: Session): TurnPrinter {
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
export function createTextPrinter({ terminal, report }: Run): TurnPrinter {
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
