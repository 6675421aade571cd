import { describeError, escapeForDisplay } from "indusagi/core";
import type { AgentEndReason, TranscriptEntry } from "indusagi/runtime";
import type { SessionEvent } from "../../conductor/index.ts";
import { paint } from "../../screen/internal.ts";
import { AnswerView } from "./answer-view.ts";
import { endedLine, type RunningCall, runningLines } from "./call-lines.ts";
import type { Stage } from "./stage.ts";

/** How often the times of running calls are drawn. */
const TICK_MS = 200;

/** Shows the events of a session. */
export class TurnView implements Disposable {
  readonly #stage: Stage;
  readonly #answer: AnswerView;
  readonly #running = new Map<string, RunningCall>();
  #isThinking = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#answer = new AnswerView(stage);
  }

  /** The names of the tools that run now. */
  get running(): readonly string[] {
    return [...this.#running.values()].map(({ call }) => call.name);
  }

  show(event: SessionEvent): void {
    switch (event.kind) {
      case "text_delta":
        this.#setThinking(false);
        return this.#answer.push(event.text);
      case "reasoning_delta":
        return this.#setThinking(true);
      case "tool_start":
        this.#running.set(event.call.id, { call: event.call, startMs: performance.now() });
        return this.#drawCalls();
      case "tool_progress": {
        const call = this.#running.get(event.id);
        if (call) this.#running.set(event.id, { ...call, note: event.note });
        return this.#drawCalls();
      }
      case "entry":
        return this.#showEntry(event.entry);
      case "end":
        return this.#end(event);
      default:
        return this.#showNews(event);
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #showEntry(entry: TranscriptEntry): void {
    this.#setThinking(false);
    if (entry.kind === "tool") {
      this.#running.delete(entry.id);
      this.#drawCalls();
      this.#stage.print(endedLine(entry, this.#stage.width, this.#stage.look));
    } else if (entry.kind === "assistant") {
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
    this.#setThinking(false);
    this.#answer.end();
    this.#running.clear();
    this.#drawCalls();
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

  #setThinking(isThinking: boolean): void {
    if (this.#isThinking === isThinking) return;
    this.#isThinking = isThinking;
    this.#drawCalls();
  }

  #drawCalls(): void {
    const calls = [...this.#running.values()];
    const thinking = this.#isThinking && calls.length === 0 ? ["· thinking"] : [];
    this.#stage.show("tools", [...thinking, ...runningLines(calls, performance.now(), this.#stage.width)]);
    if (calls.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else this.#timer ??= setInterval(() => this.#drawCalls(), TICK_MS);
  }
}

/** Why a turn ended, unless the model was simply done. */
const ENDS: { readonly [reason in AgentEndReason]?: string } = {
  length: "the answer ended at the model's limit of tokens; ask it to go on",
  refused: "the model refused to answer",
  step_limit: "stopped: the model called tools as often as one turn allows; a new message goes on",
  repeating: "stopped: the model made the same call again and again",
  aborted: "stopped",
};
