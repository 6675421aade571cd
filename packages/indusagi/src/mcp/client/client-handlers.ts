import { callListener, describeError, escapeForDisplay } from "../../core/index.ts";
import { definedMembers } from "../../core/internal.ts";
import { jsonText } from "../../interop/content/index.ts";
import type { QuestionAnswerer, SessionNotification } from "../../interop/index.ts";
import type { Caller, Question } from "../../runtime/index.ts";
import { logLevelOf } from "../../runtime/internal.ts";
import type {
  MCPElicitationHandler,
  MCPElicitRequest,
  MCPElicitResult,
  MCPListChangedHandler,
  MCPLogHandler,
  MCPLogMessage,
  MCPProgressHandler,
  MCPResourceUpdatedHandler,
  MCPRoot,
  MCPSamplingHandler,
  MCPSamplingRequest,
} from "../contract/index.ts";
import { MCPError } from "../errors/index.ts";

/** The handlers and roots that a program has set. They outlive connections. */
export interface ClientHandlers {
  elicitation?: MCPElicitationHandler | undefined;
  sampling?: MCPSamplingHandler | undefined;
  progress?: MCPProgressHandler | undefined;
  resourceUpdated?: MCPResourceUpdatedHandler | undefined;
  resourceListChanged?: MCPListChangedHandler | undefined;
  promptListChanged?: MCPListChangedHandler | undefined;
  toolListChanged?: MCPListChangedHandler | undefined;
  logger?: MCPLogHandler | undefined;
  /** Absent: servers learn that they cannot ask for roots. */
  roots?: readonly MCPRoot[] | undefined;
}

/** Copies the roots, or throws an error that names the invalid one. */
export function checkedRoots(roots: readonly MCPRoot[], serverName: string): readonly MCPRoot[] {
  for (const { uri } of roots) {
    if (typeof uri === "string" && uri.startsWith("file://") && URL.canParse(uri)) continue;
    throw new MCPError(
      `root ${JSON.stringify(uri)} for server "${serverName}" is not a file:// URI; roots are folders on this machine`,
      "INVALID_PARAMETERS",
      { uri },
      { serverName },
    );
  }
  return Object.freeze(roots.map((root) => Object.freeze({ ...root })));
}

export interface AnswerOptions {
  readonly serverName: string;
  readonly handlers: ClientHandlers;
  /** Called with the reason if a handler failed. */
  readonly note: (message: string) => void;
}

/** The caller of a client's calls. It answers questions with the handlers that are set at that time. */
export function clientCaller(options: AnswerOptions): Caller & QuestionAnswerer {
  return {
    key: "mcp-client",
    get can() {
      return abilitiesOf(options.handlers);
    },
    ask: async (requests, signal) => {
      const answers = Object.entries(requests).map(
        async ([key, question]) => [key, await answer(question, options, signal)] as const,
      );
      return Object.fromEntries(await Promise.all(answers));
    },
  };
}

function abilitiesOf({ elicitation, sampling, roots }: ClientHandlers): Caller["can"] {
  return definedMembers({
    elicit: elicitation ? { form: true, url: true } : undefined,
    sample: sampling ? {} : undefined,
    roots: roots ? true : undefined,
  });
}

function answer(
  { method, params = {} }: Question,
  options: AnswerOptions,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  if (method === "elicitation/create") return elicit(params, options, signal);
  if (method === "sampling/createMessage") return sample(params, options, signal);
  return Promise.resolve({ roots: options.handlers.roots ?? [] });
}

type Params = { readonly [member: string]: unknown };

const ACTIONS: readonly unknown[] = ["accept", "decline", "cancel"] satisfies MCPElicitResult["action"][];

/** Declines without a handler and cancels if the handler fails, so the server's tool can continue. */
async function elicit(
  params: Params,
  { handlers, serverName, note }: AnswerOptions,
  signal: AbortSignal | undefined,
): Promise<MCPElicitResult> {
  if (!handlers.elicitation) return { action: "decline" };
  try {
    const request = { ...params, serverName } as unknown as MCPElicitRequest;
    const result = await handlers.elicitation(request, signal);
    if (ACTIONS.includes(result?.action)) return result;
    note("the elicitation handler returned no action; the request was cancelled");
  } catch (thrown) {
    signal?.throwIfAborted();
    note(`the elicitation handler failed: ${describeError(thrown)}`);
  }
  return { action: "cancel" };
}

async function sample(
  params: Params,
  { handlers, serverName }: AnswerOptions,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  if (!handlers.sampling) throw new Error("this client has no sampling handler");
  return handlers.sampling({ ...params, serverName } as unknown as MCPSamplingRequest, signal);
}

export interface NotificationOptions {
  readonly serverName: string;
  readonly handlers: ClientHandlers;
  /** Whether the server's log messages go to the logger. */
  readonly wantsLogs: boolean;
}

type Handle = (params: Params, options: NotificationOptions) => void;

/** The handlers by method. Progress is handled by its call, a changed list of tools by the catalogue. */
const HANDLERS: { readonly [method: string]: Handle } = {
  "notifications/message": (params, options) => {
    if (options.wantsLogs) callListener(options.handlers.logger, logMessage(params, options.serverName));
  },
  "notifications/resources/updated": ({ uri }, { handlers, serverName }) => {
    if (typeof uri === "string") callListener(handlers.resourceUpdated, { uri, serverName });
  },
  "notifications/resources/list_changed": (_params, { handlers, serverName }) =>
    callListener(handlers.resourceListChanged, { serverName }),
  "notifications/prompts/list_changed": (_params, { handlers, serverName }) =>
    callListener(handlers.promptListChanged, { serverName }),
};

/** Passes a server's notification to its handler. */
export function handleNotification(
  { method, params = {} }: SessionNotification,
  options: NotificationOptions,
): void {
  if (Object.hasOwn(HANDLERS, method)) HANDLERS[method]?.(params, options);
}

function logMessage({ level, logger, data }: Params, serverName: string): MCPLogMessage {
  const message = typeof data === "string" ? data : jsonText(data);
  return definedMembers({
    level: logLevelOf(level),
    message: escapeForDisplay(message, { keepNewlines: true }),
    timestamp: new Date(),
    serverName,
    logger: typeof logger === "string" ? logger : undefined,
    details: data,
  });
}
