import { explainMismatch, type JsonSchema } from "indusagi/llm";
import type { RewindTarget, Session } from "../../conductor/index.ts";
import { POLICY_MODES, type PolicyMode } from "../../policy/index.ts";
import { plainStatus } from "../../servers/doctor/index.ts";
import type { OpenServers } from "../../servers/open/index.ts";
import type { LinkUser } from "./link-user.ts";
import { LinkCode, LinkError } from "./rpc-message.ts";

/** What the methods work on. */
export interface LinkContext {
  readonly session: Session;
  readonly servers?: Pick<OpenServers, "statuses"> | undefined;
  readonly user: LinkUser;
  /** Runs one turn and resolves to its end. */
  readonly prompt: (params: PromptParams) => Promise<object>;
  /** Shortens the conversation. Returns whether there was something to shorten. */
  readonly compact: () => Promise<boolean>;
  /** Stops the turn or the compaction. Returns whether one was running. */
  readonly abort: () => boolean;
  /** Ends the session after the answer. */
  readonly exit: () => void;
}

export interface PromptParams {
  readonly text: string;
  readonly images?: readonly { readonly mimeType: string; readonly data: string }[];
}

interface RewindParams {
  readonly turn: number;
  readonly target?: RewindTarget;
  readonly force?: boolean;
}

/** One method of the link. */
export interface LinkMethod {
  /** For the documentation, and to check what arrives. */
  readonly params: JsonSchema;
  readonly summary: string;
  run(context: LinkContext, params: never): object | Promise<object>;
}

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const object = (properties: object, required: readonly string[] = []): JsonSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

/** `run` may declare its parameter types: they are checked against the schema first. */
const method = (row: Omit<LinkMethod, "params"> & Partial<Pick<LinkMethod, "params">>): LinkMethod => ({
  params: object({}),
  ...row,
});
type Params = { readonly [name: string]: unknown };

/** Every method, in the order of the documentation. */
export const LINK_METHODS: { readonly [name: string]: LinkMethod } = {
  prompt: method({
    summary: "Sends a message and runs the turn. The response comes when the turn has ended.",
    params: object(
      {
        text,
        images: { type: "array", items: object({ mimeType: text, data: text }, ["mimeType", "data"]) },
      },
      ["text"],
    ),
    run: ({ prompt }, params: PromptParams) => prompt(params),
  }),
  abort: method({
    summary: "Stops the turn or a `compact`. `aborted`: whether one was running.",
    run: ({ abort }) => ({ aborted: abort() }),
  }),
  approve: method({
    summary: "Answers an `approval`. `always` without `rule` keeps the first of its rules.",
    params: object(
      { id: text, decision: { type: "string", enum: ["once", "always", "no"] }, rule: text, message: text },
      ["id", "decision"],
    ),
    run: ({ user }, params: Params) => answered(user, ["approval"], params),
  }),
  approvePlan: method({
    summary: "Answers a `plan`: approved with a mode, or sent back with a message.",
    params: object(
      {
        id: text,
        approved: flag,
        mode: { type: "string", enum: POLICY_MODES.filter((mode) => mode !== "plan") },
        message: text,
      },
      ["id", "approved"],
    ),
    run: ({ user }, params: Params) => answered(user, ["plan"], params),
  }),
  answer: method({
    summary: "Answers a `form`, a `url` or a `sampling`.",
    params: object(
      {
        id: text,
        action: { type: "string", enum: ["accept", "decline", "cancel"] },
        content: { type: "object" },
      },
      ["id", "action"],
    ),
    run: ({ user }, params: Params) => answered(user, ["form", "url", "sampling"], params),
  }),
  mode: method({
    summary: "The mode, after a change if one is given.",
    params: object({ mode: { type: "string", enum: POLICY_MODES } }),
    run: ({ session }, { mode }: { readonly mode?: PolicyMode }) => {
      if (mode !== undefined) session.setMode(mode);
      return { mode: session.mode };
    },
  }),
  model: method({
    summary: "The model, after a change if one is given.",
    params: object({ model: text }),
    run: ({ session }, { model }: { readonly model?: string }) => {
      if (model !== undefined) session.setModel(model);
      return { model: session.model };
    },
  }),
  turns: method({
    summary: "The turns that can be undone.",
    run: ({ session }) => ({ turns: session.turns() }),
  }),
  rewind: method({
    summary: "Goes back to the state before a turn.",
    params: object(
      {
        turn: { type: "integer", minimum: 1 },
        target: { type: "string", enum: ["files", "conversation", "both"] },
        force: flag,
      },
      ["turn"],
    ),
    run: ({ session }, { turn, ...options }: RewindParams) => {
      if (!session.turns().some((each) => each.turn === turn))
        throw new LinkError(LinkCode.params, `there is no turn ${turn}; the method turns lists them`);
      return session.rewind(turn, options);
    },
  }),
  compact: method({
    summary: "Shortens the conversation; with `auto`, only sets whether that happens automatically.",
    params: object({ auto: flag }),
    run: async ({ session, compact }, { auto }: { readonly auto?: boolean }) => {
      if (auto !== undefined) session.setAutoCompact(auto);
      return { compacted: auto === undefined && (await compact()) };
    },
  }),
  context: method({
    summary: "The use of the model's window, and the tokens so far.",
    run: async ({ session }) => ({ ...(await session.context()), usage: session.usage() }),
  }),
  tools: method({
    summary: "The tools that the model can use now.",
    run: ({ session }) => ({
      tools: session.box.descriptors().map(({ name, description, origin }) => ({
        name,
        description,
        ...(origin && { server: origin.server }),
      })),
    }),
  }),
  servers: method({
    summary: "The state of each server.",
    run: ({ servers }) => ({ servers: (servers?.statuses() ?? []).map(plainStatus) }),
  }),
  transcript: method({
    summary: "Everything that was said and done.",
    run: ({ session }) => ({ entries: session.transcript() }),
  }),
  exit: method({
    summary: "Ends the session, like the end of input.",
    run: ({ exit }) => {
      exit();
      return {};
    },
  }),
};

function answered(
  user: LinkUser,
  kinds: Parameters<LinkUser["answer"]>[0],
  params: { readonly [name: string]: unknown },
): object {
  user.answer(kinds, params);
  return {};
}

/** Messages that arrive without a request. */
export const LINK_NOTIFICATIONS: { readonly [name: string]: string } = {
  ready: "The session is open: its id, folder, model and mode.",
  event: "One event of the session, such as a piece of text or an entry of the transcript.",
  approval: "A call needs approval: its tool, input, preview and rules.",
  plan: "A plan waits for a decision.",
  form: "A server asks the user to fill in a form.",
  url: "A server asks the user to visit a URL.",
  sampling: "A server wants an answer from the session's model.",
  withdrawn: "The question with this id no longer needs an answer.",
  notice: "One line about the session, such as a server that failed.",
};

/** Checks the parameters and runs a method. Rejects with a `LinkError`, or with the session's error. */
export async function runMethod(
  found: LinkMethod,
  context: LinkContext,
  params: { readonly [name: string]: unknown },
): Promise<object> {
  const problem = explainMismatch(found.params, params);
  if (problem !== undefined) throw new LinkError(LinkCode.params, problem);
  return found.run(context, params as never);
}
