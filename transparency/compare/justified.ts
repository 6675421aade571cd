import type { Era } from "../wire/session.ts";
import type { Difference } from "./difference.ts";

/** Where a difference was seen. */
export interface Place {
  readonly gateway: string;
  readonly server: string;
  /** Whether the door offers one server under its own names. */
  readonly isOwn: boolean;
  readonly clientEra: Era;
  readonly serverEra: Era;
  readonly step: string;
}

/** A difference that is right, with the reason. */
export interface Justification {
  /** A sentence for the page. */
  readonly reason: string;
  readonly isMeant: (difference: Difference, place: Place) => boolean;
}

/** All differences that are right. Any other one is a failure, and so is a reason here that no difference needs. */
export const JUSTIFICATIONS: readonly Justification[] = [
  {
    reason: "A door to several servers introduces the gateway, not one of its servers.",
    isMeant: (_, { step, isOwn }) => step === "server info" && !isOwn,
  },
  {
    reason:
      "A door to several servers advertises more than one server has: another server may offer it, also one that is added later.",
    isMeant: ({ direct }, { step, isOwn }) => step === "capabilities" && !isOwn && direct === undefined,
  },
  {
    reason:
      "The instructions of several servers share the 2,000 characters that clients read; the full text of each is a resource.",
    isMeant: ({ direct, through }, { step, isOwn }) =>
      step === "instructions" && !isOwn && quotes(through, direct),
  },
  {
    reason: "The gateway itself drives a tool that needs a task, so that every client can call it.",
    isMeant: (difference, { step }) => step === "call simulate-research-query" && isResearchedNow(difference),
  },
  {
    reason: "In the modern era tasks are an extension; the gateway translates those of a legacy server.",
    isMeant: ({ path, direct, through }, { step, clientEra }) =>
      step === "capabilities" &&
      clientEra === "modern" &&
      (path === "tasks" ||
        (path === "extensions" &&
          direct === undefined &&
          JSON.stringify(through) === '{"io.modelcontextprotocol/tasks":{}}')),
  },
  {
    reason: "The modern era has no tasks in its core, and no `execution` in the definition of a tool.",
    isMeant: ({ path }, { step, clientEra }) =>
      step === "tools/list" && clientEra === "modern" && path.endsWith(".execution"),
  },
  {
    reason: "A tool that its server does not list cannot be called: the gateway refuses it in its own words.",
    isMeant: (difference, { step }) => step === "call no-such-tool" && isRefused(difference),
  },
  {
    reason: "A prompt that no server has reaches no server: the gateway refuses it in its own words.",
    isMeant: (difference, { step, isOwn }) =>
      !isOwn && /^(prompt|complete) no-such-prompt/.test(step) && isRefused(difference),
  },
  {
    reason:
      "A URI that was never listed, linked or described by a template reaches no server: the gateway refuses it in its own words.",
    isMeant: ({ path }, { step, isOwn }) =>
      !isOwn && path.startsWith("error.") && /^read .*no.such/.test(step),
  },
  {
    reason:
      "A missing resource has the code -32602, which revision 2026-07-28 requires and the official SDK sends in both eras; -32002 is the code of older revisions.",
    isMeant: ({ path, direct, through }) =>
      path === "error.code" && direct === -32_002 && through === -32_602,
  },
  {
    reason:
      "Server-everything asks for roots when it is connected. A gateway has connected it before its clients came, so it asks again during a call.",
    isMeant: ({ path, direct, through }, { server }) =>
      server === "everything" &&
      path === "questions" &&
      direct === undefined &&
      JSON.stringify(through) === '[{"method":"roots/list","params":{}}]',
  },
];

const QUOTED_CHARS = 60;

/** Whether a text contains the beginning of another, wherever its lines are broken. Without another one, any text will do. */
function quotes(text: unknown, quoted: unknown = ""): boolean {
  if (typeof text !== "string" || typeof quoted !== "string") return false;
  return plain(text).includes(plain(quoted).slice(0, QUOTED_CHARS));
}

function plain(text: string): string {
  return text.replaceAll(/[\s>]+/g, " ").trim();
}

/** Whether there is an error now, in other words than before, or one where a result was. */
function isRefused({ path, through }: Difference): boolean {
  return path.startsWith("error") ? through !== undefined : path === "result" && through === undefined;
}

/** Whether the research was done now, where its tool only reported that it needs a task. */
function isResearchedNow({ path, direct, through }: Difference): boolean {
  if (path === "result.isError") return direct === true && through === undefined;
  if (path.startsWith("result."))
    return typeof through === "string" && through.startsWith("# Research Report");
  return path === "progress" && direct === undefined;
}

/** Why a difference is right. Undefined if it is a failure. */
export function reasonFor(difference: Difference, place: Place): string | undefined {
  return JUSTIFICATIONS.find(({ isMeant }) => isMeant(difference, place))?.reason;
}
