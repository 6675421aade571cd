import { describeError, escapeForDisplay, showDuration } from "indusagi/core";
import type { AgentEndReason, TranscriptEntry } from "indusagi/runtime";
import type { SessionEvent } from "../../conductor/index.ts";
import { paint } from "../../screen/internal.ts";
import { AnswerView } from "./answer-view.ts";
import { endedLine, type RunningCall, runningLines } from "./call-lines.ts";
import type { Stage } from "./stage.ts";

/** How often times are drawn. */
const TICK_MS = 200;
/** A shorter silence of the model is not worth a line. */
const SILENCE_MS = 1_000;

/** The model was asked and has not finished its answer. */
interface AskedModel {
  readonly isThinking: boolean;
  /** When this began: the question, the thoughts, or the silence after a piece of text. */
  readonly sinceMs: number;
}

/** Shows the events of a session. */
export class TurnView implements Disposable {
  readonly #stage: Stage;
  readonly #answer: AnswerView;
  readonly #nowMs: () => number;
  readonly #running = new Map<string, RunningCall>();
  #model: AskedModel | undefined;
  /** Whether a part of the screen shows what is in progress. */
  #hasLines = false;
  #timer: NodeJS.Timeout | undefined;

  /** `nowMs`: a clock that only goes forward. */
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
      this.#stage.print(endedLine(entry, this.#stage.width, this.#stage.look));
    } else if (entry.kind === "assistant") {
      this.#setModel(undefined);
      if (!this.#answer.isOpen)
        for (const part of entry.content) if (part.kind === "text") this.#answer.push(part.text);
      this.#answer.end();
    } else if (entry.kind === "compaction")
      this.#note(
        entry.summary
          ? "the conversation was shortened: a summary replaces its beginning for the model; the transcript keeps all of it"
          : "the conversation was shortened: older answers of tools are previews for the model now",
      );
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
  length: "the answer ended at the model's limit of tokens; ask it to go on",
  refused: "the model refused to answer",
  step_limit: "stopped: the model called tools as often as one turn allows; a new message goes on",
  repeating: "stopped: the model made the same call again and again",
  aborted: "stopped",
};
