import type { Era } from "../wire/session.ts";
import type { Difference } from "./difference.ts";

/** Indus as two gateways and two workers. */
export const CLUSTER = "indus cluster";

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
  /** The only gateway whose differences it may explain. Absent: any. */
  readonly gateway?: string;
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
    reason:
      "The gateway itself drives a tool that needs a task for clients that follow none, so that every client can call it.",
    isMeant: (difference, { step, clientEra, serverEra }) =>
      (step === "plain call simulate-research-query" && isResearchedNow(difference)) ||
      (step.startsWith("plain call job_") &&
        // Modern clients understand the error of a modern server.
        (clientEra === "legacy" || serverEra === "legacy") &&
        isDoneNow(difference)),
  },
  {
    reason: "Each client is offered the tasks of its own era, whatever those of the server are.",
    isMeant: (difference, { step, clientEra, serverEra }) =>
      step === "capabilities" && clientEra !== serverEra && isOtherTasks(difference, clientEra),
  },
  {
    reason: "The modern era has no tasks in its core, and no `execution` in the definition of a tool.",
    isMeant: ({ path, through }, { step, clientEra }) =>
      isListOfTools(step) && clientEra === "modern" && path.endsWith(".execution") && through === undefined,
  },
  {
    reason:
      "A legacy client asks for tasks only of tools that allow it in their definition; a modern server decides by itself.",
    isMeant: ({ path, direct, through }, { step, clientEra, serverEra }) =>
      isListOfTools(step) &&
      clientEra === "legacy" &&
      serverEra === "modern" &&
      path.endsWith(".execution") &&
      direct === undefined &&
      JSON.stringify(through) === '{"taskSupport":"optional"}',
  },
  {
    reason: "A legacy session has tasks without an extension: its declaration of one is not passed on.",
    isMeant: ({ path, through }, { step, clientEra, serverEra }) =>
      step === "call declared" &&
      clientEra === "legacy" &&
      serverEra === "modern" &&
      path === `${DECLARED}.${TASKS}` &&
      through === undefined,
  },
  {
    reason:
      "A legacy server has one connection for all clients: it is told which extensions can be passed on to one of them, not what this client declared.",
    isMeant: (difference, { step, serverEra }) =>
      serverEra === "legacy" && isAsForAllClients(difference, step),
  },
  {
    reason:
      "A door to several servers passes on the extensions that it can route. Of another one it cannot know the server, unless a row says so.",
    isMeant: ({ path, through }, { step, isOwn }) =>
      !isOwn &&
      ((/^(capabilities|call declared)$/.test(step) &&
        path.endsWith(`.${UNKNOWN}`) &&
        through === undefined) ||
        (step === "method of an unknown extension" &&
          (path === "result" ? through === undefined : codeIn(through) === -32_601))),
  },
  {
    reason:
      "Tools that only apps may call do not exist for clients that show none: those would offer them to a model.",
    isMeant: (difference, { server, step }) =>
      server === "undeclared" &&
      ((step === "tools without extensions" &&
        difference.path === "zoom" &&
        difference.through === undefined) ||
        (step === "call zoom" && isRefused(difference))),
  },
  {
    reason: "Baggage may be about users, so it is passed on only to servers whose row says so.",
    isMeant: ({ direct, through }, { step }) =>
      step.startsWith("trace context") &&
      direct === "userId=alice" &&
      (through === null || through === "null"),
  },
  {
    reason:
      "What a modern server with extensions lists may depend on what its client declared, so its lists are not for other clients.",
    isMeant: ({ path, direct, through }, { server, step, serverEra }) =>
      server === "extensions" &&
      serverEra === "modern" &&
      /^hint of .*\/list$/.test(step) &&
      path === "cacheScope" &&
      direct === "public" &&
      through === "private",
  },
  {
    reason: "The legacy era has no cache hints.",
    isMeant: ({ through }, { step, clientEra, serverEra }) =>
      step.startsWith("hint of") && clientEra === "legacy" && serverEra === "modern" && through === undefined,
  },
  {
    reason:
      "The modern era requires cache hints. For a legacy server, which has none, the gateway states its own.",
    isMeant: ({ path, direct, through }, { step, clientEra, serverEra }) =>
      step.startsWith("hint of") &&
      clientEra === "modern" &&
      serverEra === "legacy" &&
      direct === undefined &&
      (path === "ttlMs" ? through === "some" || through === "none" : through === "private"),
  },
  {
    reason:
      "Servers behind a gateway come and go, and nothing reports changed capabilities: `server/discover` is never to be kept.",
    isMeant: ({ direct, through }, { step, clientEra, serverEra }) =>
      step === "hint of server/discover" &&
      clientEra === serverEra &&
      ((direct === "some" && through === "none") || (direct === "public" && through === "private")),
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
  {
    reason:
      "In a cluster a link that no list has names its server: the next request of a modern client may reach another gateway, which finds the resource by that name and no other.",
    gateway: CLUSTER,
    isMeant: (difference, { step, clientEra }) =>
      clientEra === "modern" && (isNamedLink(difference, step) || isPlainLink(difference, step)),
  },
];

const UI = "io.modelcontextprotocol/ui";
const SKILLS = "io.modelcontextprotocol/skills";
const TASKS = "io.modelcontextprotocol/tasks";
const UNKNOWN = "example.test/echo";
/** Where the tool `declared` says which extensions its client declared. */
const DECLARED = "result.structuredContent.extensions";

function isListOfTools(step: string): boolean {
  return step === "tools/list" || step === "tools without extensions";
}

function codeIn(error: unknown): unknown {
  return (error as { readonly code?: unknown } | undefined)?.code;
}

/** Whether there is a result now where an error was, with the progress and the questions that led to it. */
function isDoneNow({ path, direct, through }: Difference): boolean {
  if (path === "error") return through === undefined;
  return ["result", "progress", "questions"].includes(path) && direct === undefined;
}

/** Whether tasks of one era became those of the other among the capabilities. */
function isOtherTasks({ path, direct, through }: Difference, clientEra: Era): boolean {
  const isOnly = path === "extensions" && JSON.stringify(through) === `{"${TASKS}":{}}`;
  const isExtension = isOnly || path === `extensions.${TASKS}`;
  if (!isExtension && path !== "tasks") return false;
  const isOfClient = isExtension === (clientEra === "modern");
  return isOfClient ? direct === undefined && through !== undefined : through === undefined;
}

/** Whether a legacy server behaves as for a client that declared what can be passed on to some client. */
function isAsForAllClients({ path, direct, through }: Difference, step: string): boolean {
  if (step === "call declared" && path.startsWith(`${DECLARED}.`)) {
    const isPassed = [UI, SKILLS].includes(path.slice(DECLARED.length + 1));
    return isPassed ? direct === undefined && through !== undefined : through === undefined;
  }
  if (step === "call needs_ui") return isDoneNow({ path, direct, through });
  const isOfApps = path.includes("_meta") || path.endsWith(".description");
  return (
    isOfApps &&
    through !== undefined &&
    (step === "call chart" || (step === "tools without extensions" && path.startsWith("chart.")))
  );
}

/** Whether a URI in an answer names its server now, in the one spelling that there is. */
function isNamedLink({ path, direct, through }: Difference, step: string): boolean {
  if (!/^(call|read|link of|page of) /.test(step) || !/(\.uri|esourceUri|^uris\[\d\])$/.test(path))
    return false;
  if (typeof direct !== "string") return false;
  const isPage = direct.startsWith("ui://");
  return through === (isPage ? direct.replace("ui://", "ui://indus+s/") : `indus://resource/s/${direct}`);
}

/** Whether a link is refused by the name that its client did not get. */
function isPlainLink({ path, through }: Difference, step: string): boolean {
  if (step !== "read feature://linked/only") return false;
  return path === "result" ? through === undefined : path === "error" && codeIn(through) === -32_602;
}

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
  return JUSTIFICATIONS.find(
    ({ gateway = place.gateway, isMeant }) => gateway === place.gateway && isMeant(difference, place),
  )?.reason;
}
