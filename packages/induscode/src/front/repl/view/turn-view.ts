import { describeError, escapeForDisplay, showDuration } from "indusagi/core";
import type { ToolCallPart } from "indusagi/llm";
import type { AgentEndReason, ProgressNote, ToolEntry, TranscriptEntry } from "indusagi/runtime";
import type { Session, SessionEvent } from "../../../conductor/index.ts";
import { type MarkdownStream, markdownStream } from "../../../screen/index.ts";
import { fitWidth, foldLine, type Look, paint } from "../../../screen/internal.ts";
import { shownPrompt } from "../input/prompt-reader.ts";
import type { Stage } from "./stage.ts";
import { TextCleaner, toolOutput } from "./tool-output.ts";

/** How often elapsed times are redrawn. */
const TICK_MS = 200;
/** A shorter silence of the model is not shown. */
const SILENCE_MS = 1_000;

/** The model has not finished its answer. */
interface AskedModel {
  readonly isThinking: boolean;
  /** When it was asked, began to think, or last sent text. */
  readonly sinceMs: number;
}

interface RunningCall {
  readonly call: ToolCallPart;
  readonly startMs: number;
  readonly note?: ProgressNote | undefined;
}

/** Shows the events of a session. */
export class TurnView implements Disposable {
  readonly #stage: Stage;
  readonly #answer: AnswerView;
  readonly #nowMs: () => number;
  readonly #running = new Map<string, RunningCall>();
  /** The calls whose output was cut and has not been shown whole, the newest last. */
  readonly #cut: ToolEntry[] = [];
  #model: AskedModel | undefined;
  /** Whether the screen shows work in progress. */
  #hasLines = false;
  #timer: NodeJS.Timeout | undefined;

  /** `nowMs`: a monotonic clock. */
  constructor(stage: Stage, nowMs: () => number = () => performance.now()) {
    this.#stage = stage;
    this.#nowMs = nowMs;
    this.#answer = new AnswerView(stage);
  }

  /** The names of the tools that run now. */
  get running(): readonly string[] {
    return [...this.#running.values()].map(({ call }) => call.name);
  }

  show(event: SessionEvent): void {
    switch (event.kind) {
      case "step":
        return this.#setModel({ isThinking: false, sinceMs: this.#nowMs() });
      case "text_delta":
        this.#setModel({ isThinking: false, sinceMs: this.#nowMs() });
        return this.#answer.push(event.text);
      case "reasoning_delta":
        if (this.#model?.isThinking) return undefined;
        return this.#setModel({ isThinking: true, sinceMs: this.#nowMs() });
      case "tool_start":
        this.#running.set(event.call.id, { call: event.call, startMs: this.#nowMs() });
        return this.#drawWork();
      case "tool_progress": {
        const call = this.#running.get(event.id);
        if (call) this.#running.set(event.id, { ...call, note: event.note });
        return this.#drawWork();
      }
      case "entry":
        return this.#showEntry(event.entry);
      case "end":
        return this.#end(event);
      default:
        return this.#showNews(event);
    }
  }

  /** Shows the whole output of the last call whose preview left something out; the next time, of the one before it. */
  showWhole(): void {
    const entry = this.#cut.pop();
    if (!entry) return this.#note("there is no more output to show");
    const { width, look } = this.#stage;
    const { whole } = toolOutput(entry.content, { ...look, width });
    this.#stage.print([endedLine(entry, width, look), ...whole()].join("\n"));
  }

  /** Draws what is in progress. */
  redraw(): void {
    this.#answer.redraw();
    this.#drawWork();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #showEntry(entry: TranscriptEntry): void {
    if (entry.kind === "tool") {
      this.#running.delete(entry.id);
      this.#drawWork();
      this.#showCall(entry);
    } else if (entry.kind === "assistant") {
      this.#setModel(undefined);
      if (!this.#answer.isOpen)
        for (const part of entry.content) if (part.kind === "text") this.#answer.push(part.text);
      this.#answer.end();
    } else if (entry.kind === "compaction")
      this.#note(
        entry.summary
          ? "the conversation was shortened: a summary replaces its beginning for the model; the transcript keeps everything"
          : "the conversation was shortened: older tool results are now previews for the model",
      );
  }

  /** The line of a call that has ended, and the first lines of its output. */
  #showCall(entry: ToolEntry): void {
    const { width, look } = this.#stage;
    const { preview, isCut } = toolOutput(entry.content, { ...look, width });
    this.#stage.print([endedLine(entry, width, look), ...preview].join("\n"));
    if (isCut) this.#cut.push(entry);
  }

  #showNews(event: SessionEvent): void {
    if (event.kind === "mode") this.#note(`mode: ${event.mode}`);
    else if (event.kind === "model") this.#note(`model: ${escapeForDisplay(event.model)}`);
    else if (event.kind === "notice") this.#note(escapeForDisplay(event.message));
    else if (event.kind === "compaction_failed")
      this.#note(`the conversation could not be shortened: ${escapeForDisplay(event.message)}`);
    else if (event.kind === "plan" && event.state !== "presented") this.#note(`the plan was ${event.state}`);
    else if (event.kind === "tools_changed") {
      const { added, changed, removed } = event.change;
      const counts = [
        [added.length, "new"],
        [changed.length, "changed"],
        [removed.length, "gone"],
      ] as const;
      const shown = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
      if (shown.length > 0) this.#note(`tools: ${shown.join(", ")}`);
    }
  }

  #end({ reason, error }: { readonly reason: AgentEndReason; readonly error?: unknown }): void {
    this.#answer.end();
    this.#running.clear();
    this.#setModel(undefined);
    if (reason === "failed") this.#fail(escapeForDisplay(describeError(error)));
    else if (ENDS[reason] !== undefined) this.#note(ENDS[reason]);
  }

  #note(text: string): void {
    const { hasColours = false } = this.#stage.look;
    this.#stage.printFolded(hasColours ? paint("dim", text) : text);
  }

  #fail(message: string): void {
    const { hasColours = false } = this.#stage.look;
    this.#stage.printFolded(`${hasColours ? paint("red", "failed:") : "failed:"} ${message}`);
  }

  #setModel(model: AskedModel | undefined): void {
    this.#model = model;
    this.#drawWork();
  }

  #drawWork(): void {
    const nowMs = this.#nowMs();
    const calls = runningLines([...this.#running.values()], nowMs, this.#stage.width);
    const lines = calls.length === 0 && this.#model ? modelLines(this.#model, nowMs) : calls;
    if (lines.length > 0 || this.#hasLines) this.#stage.show("tools", lines);
    this.#hasLines = lines.length > 0;
    if (this.#running.size === 0 && !this.#model) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else this.#timer ??= setInterval(() => this.#drawWork(), TICK_MS);
  }
}

function modelLines({ isThinking, sinceMs }: AskedModel, nowMs: number): readonly string[] {
  const silentMs = nowMs - sinceMs;
  const seconds = showDuration(Math.floor(silentMs / 1000) * 1000);
  if (isThinking) return [`· thinking  ${seconds}`];
  return silentMs < SILENCE_MS ? [] : [`· waiting for the model  ${seconds}`];
}

/** Why a turn ended, unless the model was simply done. */
const ENDS: { readonly [reason in AgentEndReason]?: string } = {
  length: "the answer ended at the model's token limit; ask it to continue",
  refused: "the model refused to answer",
  step_limit: "stopped at the limit of tool calls per turn; send a message to continue",
  repeating: "stopped: the model kept repeating the same call",
  aborted: "stopped",
};

/** Shows an answer as it arrives: complete lines rendered, the line in progress as it is written. */
class AnswerView {
  readonly #stage: Stage;
  readonly #cleaner = new TextCleaner();
  #markdown: MarkdownStream | undefined;
  /** Empty lines held back until another line follows, to drop those at the end of an answer. */
  #empty = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Whether text arrived since the last `end`. */
  get isOpen(): boolean {
    return this.#markdown !== undefined;
  }

  push(piece: string): void {
    const text = this.#cleaner.push(piece);
    // Skip empty lines at the beginning.
    if (!this.#markdown && text.trim() === "") return;
    this.#markdown ??= markdownStream(this.#stage.look);
    this.#print(this.#markdown.push(text));
    this.redraw();
  }

  /** Draws the line in progress, if there is one. */
  redraw(): void {
    if (this.#markdown) this.#stage.show("text", this.#tail(this.#markdown.rest()));
  }

  end(): void {
    const markdown = this.#markdown;
    if (!markdown) return;
    this.#print([...markdown.push(this.#cleaner.end()), ...markdown.end()]);
    this.#markdown = undefined;
    this.#empty = 0;
    this.#stage.show("text", []);
  }

  #print(lines: readonly string[]): void {
    for (const line of lines) {
      if (line === "") this.#empty++;
      else {
        this.#stage.printFolded("\n".repeat(this.#empty) + line);
        this.#empty = 0;
      }
    }
  }

  /** The end of the text in progress that fits the screen: only that can be redrawn. */
  #tail(text: string): readonly string[] {
    const { width, height } = this.#stage;
    const maxLines = Math.max(2, Math.floor(height / 2) - 2);
    const end = text.slice(-maxLines * width);
    return end
      .split("\n")
      .flatMap((line) => foldLine(line, width - 1))
      .slice(-maxLines);
  }
}

const MAX_CALL_LINES = 6;
const SPINNER = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇"] as const;
/** How long one frame of the spinner stays. */
const SPIN_MS = 100;

/** One line for each running call: its name, its arguments in brief, its time and its progress. */
function runningLines(calls: readonly RunningCall[], nowMs: number, width: number): readonly string[] {
  const rest = calls.length > MAX_CALL_LINES ? calls.length - MAX_CALL_LINES + 1 : 0;
  const spin = SPINNER[Math.floor(nowMs / SPIN_MS) % SPINNER.length] ?? "";
  const lines = calls.slice(0, calls.length - rest).map(({ call, startMs, note }) => {
    const time = showDuration(Math.floor((nowMs - startMs) / 1000) * 1000);
    const progress = note ? ` ${progressText(note)}` : "";
    return fitWidth(`${spin} ${callText(call)}  ${time}${progress}`, width - 1);
  });
  return rest > 0 ? [...lines, `… and ${rest} more calls`] : lines;
}

/** The line that stays after a call. */
function endedLine(entry: ToolEntry, width: number, { hasColours }: Look): string {
  const mark = entry.isError ? "✗" : "✓";
  const text = fitWidth(`${mark} ${callText({ name: entry.name, input: entry.given })}`, width - 1);
  return hasColours ? text.replace(mark, paint(entry.isError ? "red" : "green", mark)) : text;
}

/** A name and the arguments in brief, on one line. */
function callText({ name, input }: Pick<ToolCallPart, "name" | "input">): string {
  return `${escapeForDisplay(name)}(${argumentText(input)})`;
}

function argumentText(input: unknown): string {
  if (typeof input !== "object" || input === null) return oneLine(valueText(input));
  const members = Object.entries(input as { readonly [name: string]: unknown });
  const [first] = members;
  // A single string, such as a path or a command, needs no name.
  if (members.length === 1 && typeof first?.[1] === "string") return oneLine(first[1]);
  return members.map(([name, value]) => `${oneLine(name)}: ${oneLine(valueText(value))}`).join(", ");
}

const MAX_VALUE_CHARS = 200;

function valueText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function oneLine(text: string): string {
  return escapeForDisplay(text.slice(0, MAX_VALUE_CHARS).replaceAll(/\s+/g, " ").trim());
}

function progressText({ progress, total, message }: ProgressNote): string {
  const count = total === undefined ? "" : `${Math.floor((100 * progress) / Math.max(total, 1))} %`;
  return [count, message === undefined ? "" : oneLine(message)].filter((text) => text !== "").join(" ");
}

/** Shows the last turn of a continued session. Nothing for a new session. */
export function showLastTurn(
  session: Pick<Session, "transcript" | "turns">,
  stage: Stage,
  view: TurnView,
): void {
  const entries = session.transcript();
  const start = entries.findLastIndex(({ kind }) => kind === "user");
  const first = entries[start];
  if (first?.kind !== "user") return;
  const count = session.turns().length;
  stage.printFolded(count > 1 ? `The session has ${count} turns; the last one was:` : "The session so far:");
  const said = first.content.map((part) => (part.kind === "text" ? part.text : `(${part.kind})`));
  stage.print(`\n${shownPrompt(said.join("\n"), stage.width)}\n\n`);
  for (const [at, entry] of entries.slice(start + 1).entries())
    view.show({ kind: "entry", position: start + 1 + at, entry });
}
