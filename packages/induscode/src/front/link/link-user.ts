import { onAbort } from "indusagi/core";
import type { Session, SessionUser } from "../../conductor/index.ts";
import { answerQuestions, type FormAnswer } from "../../conductor/questions/index.ts";
import { parseRule } from "../../policy/index.ts";
import { LinkCode, LinkError } from "./rpc-message.ts";

/** The kinds of questions, which are also the names of the notifications. */
export type QuestionKind = "approval" | "plan" | "form" | "url" | "sampling";

type Members = { readonly [name: string]: unknown };

interface OpenQuestion {
  readonly kind: QuestionKind;
  /** Throws a `LinkError` if the answer does not fit. */
  readonly answer: (params: Members) => void;
}

export interface LinkUserOptions {
  readonly cwd: string;
  readonly notify: (method: string, params: object) => void;
  readonly session: () => Pick<Session, "model" | "complete"> | undefined;
}

/** The driving program as the session's user: questions are notifications with an id, and their answers are requests. */
export class LinkUser {
  readonly user: SessionUser;
  readonly #options: LinkUserOptions;
  readonly #open = new Map<string, OpenQuestion>();
  #count = 0;

  constructor(options: LinkUserOptions) {
    this.#options = options;
    this.user = {
      approve: ({ call, descriptor, reason, preview, rules, agent, signal }) =>
        this.#ask(
          "approval",
          {
            tool: descriptor.name,
            ...(descriptor.origin && { server: descriptor.origin.server }),
            input: call.input,
            reason,
            preview,
            rules,
            ...(agent !== undefined && { agent }),
          },
          (params) => approvalOf(params, rules),
          signal,
        ),
      approvePlan: ({ plan, path, signal }) =>
        this.#ask("plan", { plan, ...(path !== undefined && { path }) }, planAnswerOf, signal),
      ...answerQuestions({
        cwd: options.cwd,
        session: options.session,
        user: {
          fillForm: (question, signal) => this.#ask("form", question, formAnswerOf, signal),
          visitUrl: ({ message, url }, signal) =>
            this.#ask("url", { message, url: url.href }, (params) => formAnswerOf(params).action, signal),
          approveSampling: (question, signal) =>
            this.#ask("sampling", question, (params) => formAnswerOf(params).action === "accept", signal),
        },
      }),
    };
  }

  /** Takes an answer. Throws a `LinkError` if it is not for an open question, or does not fit it. */
  answer(kinds: readonly QuestionKind[], params: Members): void {
    const { id } = params;
    const question = this.#open.get(String(id));
    if (!question || !kinds.includes(question.kind))
      throw new LinkError(LinkCode.params, `there is no open question ${JSON.stringify(id)} of this kind`);
    question.answer(params);
  }

  #ask<Answer>(
    kind: QuestionKind,
    params: object,
    read: (params: Members) => Answer,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const id = `q${++this.#count}`;
    const { notify } = this.#options;
    return new Promise<Answer>((resolve, reject) => {
      const stop = signal
        ? onAbort(signal, (reason) => {
            if (this.#open.delete(id)) notify("withdrawn", { id });
            reject(reason);
          })
        : () => {};
      if (signal?.aborted) return;
      this.#open.set(id, {
        kind,
        answer: (given) => {
          const answer = read(given);
          this.#open.delete(id);
          stop();
          resolve(answer);
        },
      });
      notify(kind, { id, ...params });
    });
  }
}

function approvalOf(
  { decision, rule, message }: Members,
  rules: readonly string[],
): Awaited<ReturnType<SessionUser["approve"]>> {
  if (decision === "no") return { allow: false, ...(typeof message === "string" && { message }) };
  if (decision === "once") return { allow: true };
  const kept = typeof rule === "string" ? rule : rules[0];
  if (kept === undefined)
    throw new LinkError(LinkCode.params, "no rule can allow this call always; answer once or no");
  // The question stays open for another answer.
  const { problem } = parseRule(kept, "allow");
  if (problem !== undefined) throw new LinkError(LinkCode.params, problem);
  return { allow: true, rule: kept };
}

function planAnswerOf({
  approved,
  mode = "default",
  message,
}: Members): Awaited<ReturnType<SessionUser["approvePlan"]>> {
  if (approved === true) return { approved, mode: mode as "default" | "acceptEdits" | "bypass" };
  return { approved: false, ...(typeof message === "string" && { message }) };
}

function formAnswerOf({ action, content }: Members): FormAnswer {
  if (action === "accept")
    return { action, content: (content ?? {}) as { readonly [name: string]: unknown } };
  return { action: action === "decline" ? "decline" : "cancel" };
}
