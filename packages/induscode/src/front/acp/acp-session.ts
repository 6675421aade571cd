import type {
  AgentContext,
  ContentBlock,
  SessionModeState,
  SessionUpdate,
  StopReason,
} from "@agentclientprotocol/sdk";
import { describeError } from "indusagi/core";
import type { AgentEndReason } from "indusagi/runtime";
import type { Session, SessionUser } from "../../conductor/index.ts";
import {
  type ContentParts,
  expandMessage,
  type MentionedServers,
  type PromptCommand,
  promptCommands,
  signatureOf,
} from "../../conductor/mentions/index.ts";
import { sessionCaller } from "../../conductor/questions/index.ts";
import { replayedUpdates, type UpdateOptions, updatesOf } from "./session-updates.ts";

/** A session opened for an editor. Closing it stops its servers. */
export interface OpenedAcpSession extends AsyncDisposable {
  readonly session: Session;
  readonly mentioned?: MentionedServers | undefined;
}

const MODES = [
  { id: "default", name: "Ask", description: "Calls that may change something need approval." },
  { id: "acceptEdits", name: "Accept edits", description: "File changes run without approval." },
  { id: "plan", name: "Plan", description: "Only reading runs until a plan is approved." },
  { id: "bypass", name: "Bypass", description: "Everything runs without approval." },
] as const;

type ModeId = (typeof MODES)[number]["id"];

const STOP_REASONS: { readonly [reason in AgentEndReason]?: StopReason } = {
  length: "max_tokens",
  refused: "refusal",
  step_limit: "max_turn_requests",
  aborted: "cancelled",
};

export interface AcpSessionOptions extends UpdateOptions {
  readonly client: AgentContext;
  readonly opened: OpenedAcpSession;
  readonly user: SessionUser;
}

/** One session of an editor. */
export class AcpSession {
  readonly #options: AcpSessionOptions;
  #stopListening: () => void = () => {};
  #turn: AbortController | undefined;
  /** The commands that the editor knows, as JSON. */
  #commands = "[]";
  #isClosed = false;

  constructor(options: AcpSessionOptions) {
    this.#options = options;
  }

  /** Starts sending the editor what happens between turns. Call it once the editor knows the session. */
  begin(): void {
    if (this.#isClosed) return;
    this.#stopListening = this.#session.onEvent((event) => {
      // If the editor is gone, the session is closed soon.
      for (const update of updatesOf(event, this.#options)) this.#send(update).catch(() => {});
    });
    void this.announceCommands();
  }

  get id(): string {
    return this.#session.id;
  }

  get modes(): SessionModeState {
    return { currentModeId: this.#session.mode, availableModes: [...MODES] };
  }

  get #session(): Session {
    return this.#options.opened.session;
  }

  /** Throws if there is no such mode. */
  setMode(mode: string): void {
    const known = MODES.find(({ id }) => id === mode);
    if (!known) throw new Error(`there is no mode ${JSON.stringify(mode)}`);
    this.#session.setMode(known.id satisfies ModeId);
  }

  /** Sends the conversation so far. */
  async replay(): Promise<void> {
    for (const update of replayedUpdates(this.#session.transcript(), this.#options.cwd))
      await this.#send(update);
  }

  /** Sends the editor the prompts that can be typed as commands, if they changed. Never rejects. */
  async announceCommands(): Promise<void> {
    const { mentioned } = this.#options.opened;
    if (!mentioned || this.#isClosed) return;
    try {
      const availableCommands = (await promptCommands(mentioned)).map((prompt) => ({
        name: prompt.name,
        description: descriptionOf(prompt),
        input: { hint: signatureOf(prompt) },
      }));
      const commands = JSON.stringify(availableCommands);
      if (commands === this.#commands || this.#isClosed) return;
      this.#commands = commands;
      await this.#send({ sessionUpdate: "available_commands_update", availableCommands });
    } catch {
      // The session ended in the meantime. Without the list, prompts can still be typed.
    }
  }

  /** Runs one turn. Rejects with the model's failure. */
  async prompt(blocks: readonly ContentBlock[]): Promise<StopReason> {
    if (this.#turn) throw new Error("a turn is already running in this session");
    const turn = new AbortController();
    this.#turn = turn;
    try {
      const { text, attached } = editorPrompt(blocks);
      if (text.trim() === "" && attached.length === 0) throw new Error("the prompt is empty");
      const { opened, user } = this.#options;
      const caller = sessionCaller(this.#session, user);
      const { signal } = turn;
      const expanded = await expandMessage(text, { servers: opened.mentioned, signal, caller });
      if ("problem" in expanded) throw new Error(expanded.problem);
      const own = "content" in expanded ? expanded.content : [{ kind: "text" as const, text }];
      return await this.#run([...own, ...attached], signal);
    } catch (thrown) {
      if (turn.signal.aborted) return "cancelled";
      throw thrown;
    } finally {
      this.#turn = undefined;
      // A server may have joined since.
      void this.announceCommands();
    }
  }

  cancel(): void {
    this.#turn?.abort(new Error("cancelled by the editor"));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.cancel();
    this.#stopListening();
    await this.#options.opened[Symbol.asyncDispose]();
  }

  async #run(content: Parameters<Session["send"]>[0], signal: AbortSignal): Promise<StopReason> {
    let reason: AgentEndReason = "stop";
    let failure: unknown;
    for await (const event of this.#session.send(content, { signal })) {
      for (const update of updatesOf(event, this.#options)) await this.#send(update);
      if (event.kind === "end") ({ reason, error: failure } = event);
    }
    if (reason === "failed") throw new Error(describeError(failure));
    const { tokens, windowTokens } = await this.#session.context();
    await this.#send({ sessionUpdate: "usage_update", used: tokens, size: windowTokens });
    return STOP_REASONS[reason] ?? "end_turn";
  }

  async #send(update: SessionUpdate): Promise<void> {
    await this.#options.client.notify("session/update", { sessionId: this.id, update });
  }
}

function descriptionOf({ name, item }: PromptCommand): string {
  return [item["description"], item["title"]].find((each) => typeof each === "string") ?? name;
}

/** Text blocks are what the user wrote; everything else is attached. */
function editorPrompt(blocks: readonly ContentBlock[]): {
  readonly text: string;
  readonly attached: ContentParts;
} {
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return { text: texts.join("\n"), attached: blocks.flatMap(attachmentOf) };
}

function attachmentOf(block: ContentBlock): ContentParts {
  switch (block.type) {
    case "text":
      return [];
    case "image":
      return [{ kind: "image", mimeType: block.mimeType, data: block.data }];
    case "resource": {
      const { resource } = block;
      if ("text" in resource)
        return [{ kind: "text", text: `<file ${resource.uri}>\n${resource.text}\n</file>` }];
      if (resource.mimeType?.startsWith("image/"))
        return [{ kind: "image", mimeType: resource.mimeType, data: resource.blob }];
      return [{ kind: "text", text: `(${resource.uri} is binary and is not included)` }];
    }
    case "resource_link":
      return [{ kind: "text", text: `${block.name}: ${block.uri}` }];
    case "audio":
      return [{ kind: "text", text: "(audio is not included)" }];
  }
}
