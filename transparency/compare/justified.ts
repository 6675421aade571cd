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

/** All differences that are right. Any other one is a failure. */
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
    isMeant: (_, { step, isOwn }) => step === "instructions" && !isOwn,
  },
  {
    reason:
      "A door to several servers offers the full instructions of each as a resource after those of the servers.",
    isMeant: ({ direct, through }, { step, isOwn }) =>
      !isOwn &&
      /^(resources\/list|list-changed resources)$/.test(step) &&
      direct === undefined &&
      /indus:\/\/instructions\/|instructions of /.test(JSON.stringify(through)),
  },
  {
    reason:
      "The gateway itself drives a tool that needs a task, so that every client can call it; it offers no tasks.",
    isMeant: ({ path }, { step }) =>
      (step === "capabilities" && path === "tasks") || step === "call simulate-research-query",
  },
  {
    reason: "The modern era has no tasks in its core, and no `execution` in the definition of a tool.",
    isMeant: ({ path }, { step, clientEra }) =>
      step === "tools/list" && clientEra === "modern" && path.endsWith(".execution"),
  },
  {
    reason:
      "The gateway reports changed lists also where its server cannot: servers are restarted, and their rows change.",
    isMeant: ({ path, direct }, { step }) =>
      step === "capabilities" && direct === undefined && path.endsWith(".listChanged"),
  },
  {
    reason: "A tool that its server does not list cannot be called: the gateway refuses it in its own words.",
    isMeant: (_, { step }) => step === "call no-such-tool",
  },
  {
    reason: "A prompt that no server has reaches no server: the gateway refuses it in its own words.",
    isMeant: (_, { step, isOwn }) => !isOwn && /^(prompt|complete) no-such-prompt/.test(step),
  },
  {
    reason:
      "A URI that was never listed, linked or described by a template reaches no server: the gateway refuses it in its own words.",
    isMeant: ({ path }, { step }) => path.startsWith("error.") && /^read .*no.such/.test(step),
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

/** Why a difference is right. Undefined if it is a failure. */
export function reasonFor(difference: Difference, place: Place): string | undefined {
  return JUSTIFICATIONS.find(({ isMeant }) => isMeant(difference, place))?.reason;
}
