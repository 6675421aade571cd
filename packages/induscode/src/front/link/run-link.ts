import { describeError, joinSignals, untilAborted } from "indusagi/core";
import type { Session, SessionEvent, SessionUser } from "../../conductor/index.ts";
import { expandMessage, type MentionedServers } from "../../conductor/mentions/index.ts";
import { sessionCaller } from "../../conductor/questions/index.ts";
import type { OpenServers } from "../../servers/open/index.ts";
import { LINK_METHODS, type LinkContext, type PromptParams, runMethod } from "./link-methods.ts";
import { LinkUser } from "./link-user.ts";
import {
  LinkCode,
  LinkError,
  type LinkRequest,
  parseRequest,
  readLinkLines,
  unknownMethod,
} from "./rpc-message.ts";

interface LinkSession {
  readonly session: Session;
  readonly servers?: Pick<OpenServers, "statuses"> | undefined;
  readonly mentioned?: MentionedServers | undefined;
}

export interface LinkOptions {
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly input: AsyncIterable<Uint8Array>;
  /** Writes a line. Resolves when the reader can take more. */
  readonly write: (line: string) => Promise<void>;
  readonly open: (user: SessionUser, notice: (message: string) => void) => Promise<LinkSession>;
}

/**
 * JSON-RPC for a program that drives the session: one message per line. Resolves to the exit code when the input ends, the
 * program asks for it, or the signal aborts.
 */
export async function runLink(options: LinkOptions): Promise<number> {
  const link = new Link(options);
  return link.run();
}

class Link {
  readonly #options: LinkOptions;
  readonly #user: LinkUser;
  readonly #ending = new AbortController();
  #opened: LinkSession | undefined;
  #turn: AbortController | undefined;
  readonly #answering = new Set<Promise<void>>();

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#user = new LinkUser({
      cwd: options.cwd,
      notify: (method, params) => this.#notify(method, params),
      session: () => this.#opened?.session,
    });
  }

  async run(): Promise<number> {
    const { input, signal, open } = this.#options;
    const opened = await open(this.#user.user, (message) => this.#notify("notice", { message }));
    this.#opened = opened;
    const { id, cwd, model, mode } = opened.session;
    await this.#send({ method: "ready", params: { session: id, cwd, model, mode } });
    const stopListening = opened.session.onEvent((event) => this.#notify("event", plainEvent(event)));
    const lines = readLinkLines(input);
    const ended = joinSignals(signal, this.#ending.signal);
    try {
      for (;;) {
        const next = await untilAborted(lines.next(), ended);
        if (next.done === true) break;
        this.#take(next.value, opened);
      }
    } catch (thrown) {
      if (!signal.aborted && !this.#ending.signal.aborted) {
        await this.#send({ id: null, error: { code: LinkCode.parse, message: describeError(thrown) } });
        return 1;
      }
    } finally {
      this.#turn?.abort(new Error("the session ends"));
      await Promise.allSettled(this.#answering);
      stopListening();
    }
    return 0;
  }

  #take(line: string | LinkError, opened: LinkSession): void {
    const parsed = typeof line === "string" ? parseRequest(line) : { error: line, id: null };
    const work = "error" in parsed ? this.#refuse(parsed.id, parsed.error) : this.#answer(parsed, opened);
    this.#answering.add(work);
    void work.finally(() => this.#answering.delete(work));
  }

  async #answer({ id, method, params }: LinkRequest, opened: LinkSession): Promise<void> {
    try {
      const found = Object.hasOwn(LINK_METHODS, method) ? LINK_METHODS[method] : undefined;
      if (!found) throw await unknownMethod(method, Object.keys(LINK_METHODS));
      const result = await runMethod(found, this.#context(opened), params);
      if (id !== undefined) await this.#send({ id, result });
    } catch (thrown) {
      const error =
        thrown instanceof LinkError ? thrown : new LinkError(LinkCode.session, describeError(thrown));
      // A notification gets no response, but its sender should learn that it had no effect.
      if (id === undefined) this.#notify("notice", { message: `${method}: ${error.message}` });
      else await this.#refuse(id, error);
    }
  }

  #refuse(id: string | number | null, { code, message }: LinkError): Promise<void> {
    return this.#send({ id, error: { code, message } });
  }

  #context({ session, servers }: LinkSession): LinkContext {
    return {
      session,
      servers,
      user: this.#user,
      prompt: (params) => this.#alone((signal) => this.#prompt(params, signal)),
      compact: () => this.#alone(async (signal) => (await session.compact(signal)) !== undefined),
      abort: () => {
        const isRunning = this.#turn !== undefined;
        this.#turn?.abort(new Error("stopped by the driving program"));
        return isRunning;
      },
      exit: () => this.#ending.abort(),
    };
  }

  /** Runs work that `abort` stops and that nothing else may run in parallel with. */
  async #alone<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    if (this.#turn) throw new LinkError(LinkCode.session, "a turn is already running; abort stops it");
    const turn = new AbortController();
    this.#turn = turn;
    try {
      return await work(turn.signal);
    } finally {
      this.#turn = undefined;
    }
  }

  async #prompt({ text, images = [] }: PromptParams, signal: AbortSignal): Promise<object> {
    const opened = this.#opened;
    if (!opened) throw new LinkError(LinkCode.session, "the session is not open yet");
    if (text.trim() === "" && images.length === 0)
      throw new LinkError(LinkCode.params, '"text" is empty, and there are no images');
    const caller = sessionCaller(opened.session, this.#user.user);
    const expanded = await expandMessage(text, { servers: opened.mentioned, signal, caller });
    if ("problem" in expanded) throw new LinkError(LinkCode.params, expanded.problem);
    const content = "content" in expanded ? expanded.content : [{ kind: "text" as const, text }];
    const pictures = images.map((image) => ({ kind: "image" as const, ...image }));
    let end: object = {};
    for await (const event of opened.session.send([...content, ...pictures], { signal })) {
      const plain = plainEvent(event);
      // The turn waits for a slow reader; pieces of text are joined in the meantime.
      await this.#send({ method: "event", params: plain });
      if (event.kind === "end") end = plain;
    }
    const { kind: _, ...result } = end as { readonly kind?: string };
    return result;
  }

  #notify(method: string, params: object): void {
    void this.#send({ method, params });
  }

  #send(message: object): Promise<void> {
    return this.#options.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}

/** An event as plain JSON: an error becomes its message, and changed tools their names. */
function plainEvent(event: SessionEvent): object {
  if (event.kind === "end") {
    const { error, ...rest } = event;
    return error === undefined ? rest : { ...rest, error: describeError(error) };
  }
  if (event.kind !== "tools_changed") return event;
  const { added, changed, removed } = event.change;
  const names = (tools: typeof added): readonly string[] => tools.map(({ name }) => name);
  return { kind: event.kind, added: names(added), changed: names(changed), removed: names(removed) };
}
