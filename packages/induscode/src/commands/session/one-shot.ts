import {
  type Run,
  readAttachments,
  type Session,
  type SessionContent,
  type SessionEvent,
} from "../../boot/internal.ts";
import type { SessionLine } from "../../launch/internal.ts";
import { createJsonPrinter, createTextPrinter, type TurnPrinter } from "./turn-printer.ts";

/** `indus -p`: answers one prompt and resolves to the exit code. */
export async function oneShot(run: Run, { invocation, flags }: SessionLine): Promise<number> {
  const content = await promptOf(run, invocation);
  if (content === undefined) {
    run.report('-p needs a prompt: indus -p "PROMPT", or pipe it in');
    return 2;
  }
  const opened = await run.openSession(invocation, { flags });
  if (!opened) return 1;
  const { session } = opened;
  const printer = invocation.json ? createJsonPrinter(run, session) : createTextPrinter(run);
  let end: Extract<SessionEvent, { readonly kind: "end" }> | undefined;
  for await (const event of session.send(content, { signal: run.signal })) {
    if (event.kind === "end") end = event;
    else printer.show(event);
  }
  return end ? finish(run, session, { printer, end }) : 1;
}

/** The words, what was piped in, and the attached files. Undefined if there is nothing. */
async function promptOf(
  run: Run,
  invocation: SessionLine["invocation"],
): Promise<SessionContent | undefined> {
  const { prompt = "", attachments } = invocation;
  const files = readAttachments(attachments);
  const isOptional = prompt !== "" || files.length > 0;
  const { signal, report, terminal } = run;
  const piped = (await terminal.piped?.({ signal, isOptional, report })) ?? "";
  const texts = [prompt, piped.trimEnd()].filter((text) => text.trim() !== "");
  const said = texts.length > 0 ? [{ kind: "text" as const, text: texts.join("\n\n") }] : [];
  const content = [...said, ...files];
  return content.length > 0 ? content : undefined;
}

interface Finished {
  readonly printer: TurnPrinter;
  readonly end: Extract<SessionEvent, { readonly kind: "end" }>;
}

async function finish(run: Run, session: Session, { printer, end }: Finished): Promise<number> {
  printer.end(end, { usage: session.usage(), context: await session.context(), text: lastText(session) });
  if (run.signal.aborted) return 1;
  const problem = problemOf(end);
  if (problem !== undefined) run.report(problem);
  return problem === undefined ? 0 : 1;
}

function problemOf({ reason, steps, error }: Finished["end"]): string | undefined {
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
