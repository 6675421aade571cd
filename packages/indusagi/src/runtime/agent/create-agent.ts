import { createEventQueue, joinSignals } from "../../core/index.ts";
import type { ModelUsage, UserMessage } from "../../llm/index.ts";
import { layerBox, toolsOf } from "../box/index.ts";
import type { ToolBox } from "../contract/index.ts";
import {
  type Agent,
  type AgentEvent,
  type AgentOptions,
  addUsage,
  type ResultStore,
  type TranscriptEntry,
} from "./contract.ts";
import { READ_RESULT } from "./results/preview.ts";
import { createMemoryResultStore } from "./results/result-store.ts";

const MAX_RESULT_CHARS = 30_000;

/** Opens a conversation between a model and the tools of a box. The loop is loaded with the first message. */
export function createAgent(options: AgentOptions): Agent {
  const transcript: TranscriptEntry[] = [...(options.transcript ?? [])];
  const store = countedStore(options.results?.store ?? createMemoryResultStore(), transcript);
  const maxResultChars = options.results?.maxChars ?? MAX_RESULT_CHARS;
  /** Made once: it listens to the changes of the given box. */
  let box: ToolBox | undefined;
  let usage: ModelUsage = {};
  let isBusy = false;

  const takeTurn = async (
    content: UserMessage["content"],
    signal: AbortSignal,
    emit: (event: AgentEvent) => void,
  ): Promise<void> => {
    const entry = { kind: "user" as const, content };
    transcript.push(entry);
    emit({ kind: "entry", position: transcript.length - 1, entry });
    const [{ runTurn }, { readResultBox }] = await Promise.all([
      import("./run-turn.ts"),
      import("./results/read-result-tool.ts"),
    ]);
    box ??= withReader(readResultBox(store, maxResultChars), options.box);
    await runTurn({ options, box, store, maxResultChars, transcript, signal, emit });
  };

  return {
    send: (content, { signal } = {}) => {
      if (isBusy) throw new Error("this agent is already running a turn; wait for its end event");
      isBusy = true;
      const left = new AbortController();
      const queue = createEventQueue({
        onLeave: () => left.abort(new Error("the reader of the turn left")),
        merge: mergeText,
      });
      const emit = (event: AgentEvent): void => {
        if (event.kind === "end") {
          usage = addUsage(usage, event.usage);
          isBusy = false;
        }
        queue.push(event);
      };
      const parts = typeof content === "string" ? [{ kind: "text" as const, text: content }] : content;
      void takeTurn(parts, joinSignals(signal, left.signal), emit)
        .catch((error: unknown) => emit({ kind: "end", reason: "failed", steps: 0, usage: {}, error }))
        .finally(() => queue.close());
      return queue.events;
    },
    compact: async (signal) => {
      if (isBusy) throw new Error("this agent is running a turn; wait for its end event");
      isBusy = true;
      try {
        const { compact } = await import("./conversation/compact.ts");
        const entry = await compact(transcript, { model: options.model, store, signal });
        if (entry) transcript.push(entry);
        return entry;
      } finally {
        isBusy = false;
      }
    },
    transcript: () => transcript,
    usage: () => usage,
    contextTokens: async () => {
      const [{ conversationView }, { messageTokens }] = await Promise.all([
        import("./conversation/conversation-view.ts"),
        import("./conversation/message-tokens.ts"),
      ]);
      return messageTokens(conversationView(transcript));
    },
  };
}

/** A store that knows whether it is empty, also if the given one cannot say so. */
function countedStore(store: ResultStore, transcript: readonly TranscriptEntry[]): Required<ResultStore> {
  let hasKept = transcript.some(
    (entry) => entry.kind === "compaction" || (entry.kind === "tool" && entry.stored !== undefined),
  );
  return {
    keep: async (id, text) => {
      await store.keep(id, text);
      hasKept = true;
    },
    read: (id) => store.read(id),
    isEmpty: () => store.isEmpty?.() ?? !hasKept,
  };
}

/** The tool that reads stored answers, then those of the box, which may also run tools it does not list. */
function withReader(reader: ToolBox, box: ToolBox): ToolBox {
  return layerBox(box, {
    list: (tools) => [
      ...toolsOf(reader),
      ...tools.filter(({ descriptor }) => descriptor.name !== READ_RESULT),
    ],
    missing: (next) => next,
  });
}

/** Gives a slow reader fewer, longer pieces of text. */
function mergeText(last: AgentEvent, next: AgentEvent): AgentEvent | undefined {
  return last.kind === "text_delta" && next.kind === "text_delta"
    ? { kind: "text_delta", text: last.text + next.text }
    : undefined;
}
