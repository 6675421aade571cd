import type { Run, Session, SessionEvent } from "../../boot/internal.ts";
import type { SessionLine } from "../../launch/internal.ts";
import { expandPrompt, type GivenPrompt, sortAttachments } from "./expand-prompt.ts";
import { createJsonPrinter, createTextPrinter, type TurnPrinter } from "./turn-printer.ts";

/** `indus -p`: answers one prompt and resolves to the exit code. */
export async function oneShot(run: Run, { invocation, flags }: SessionLine): Promise<number> {
  const prompt = await promptOf(run, invocation);
  if (prompt === undefined) {
    run.report('-p needs a prompt: indus -p "PROMPT", or pipe it in');
    return 2;
  }
  const opened = await run.openSession(invocation, { flags, isOnlyTurn: true });
  const content = opened && (await expandPrompt(run, opened, prompt));
  if (!content) return 1;
  const { session } = opened;
  const printer = invocation.json ? createJsonPrinter(run, session) : createTextPrinter(run);
  let end: Extract<SessionEvent, { readonly kind: "end" }> | undefined;
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
