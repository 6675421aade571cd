import {
  bytesHash,
  closestNames,
  describeError,
  isRecord,
  joinSignals,
  shortenText,
} from "../../../core/index.ts";
import { withDefaults } from "../../../core/internal.ts";
import type { ToolDescriptor } from "../../../llm/index.ts";
import type { Caller, ToolBox, ToolCall, ToolOutcome } from "../../contract/index.ts";
import { abortedOutcome, answeredOutcome, blockText, failureResult } from "../../results.ts";
import { RUN_CODE } from "../own-tools.ts";
import { outputOf } from "./declarations.ts";
import { LIMITS, type ProgramLimits } from "./limits.ts";
import { programPool } from "./program-pool.ts";
import {
  type ProgramAnswer,
  type ProgramCall,
  ProgramClock,
  type ProgramEnd,
  type ProgramRequest,
} from "./program-process.ts";
import { canBeNamespace, type ToolApi, toolApi } from "./tool-api.ts";

export interface RunCodeRequest {
  /** Runs the calls of the program, as it would run them for the caller. */
  readonly box: ToolBox;
  /** The call of `run_code`. */
  readonly call: ToolCall;
  readonly code: string;
  readonly signal: AbortSignal | undefined;
  readonly caller: Caller | undefined;
  readonly limits: Partial<ProgramLimits>;
  readonly listing?: ProgramListing | undefined;
}

/** While servers start, their tools are not known. */
export interface ProgramListing {
  /** Whether no further tools are expected. */
  isOver(): boolean;
  /** Resolves when it is known, when nothing more is expected, or after a while. */
  until(isKnown: () => boolean, signal: AbortSignal | undefined): Promise<void>;
}

const MAX_CODE = 200_000;
/** More than there are waiting processes. */
const MAX_STARTS = 6;

/** Runs a program, and answers with what it returns and prints, or with why it failed and what it did until then. */
export async function runCode(request: RunCodeRequest): Promise<ToolOutcome> {
  const { call, caller, signal, box } = request;
  const code = withoutFence(request.code);
  if (code.length > MAX_CODE)
    return answeredOutcome(
      call.id,
      failureResult(
        `${RUN_CODE}: the program has ${code.length} characters; at most ${MAX_CODE} are allowed`,
      ),
    );
  if (signal?.aborted) return abortedOutcome(call.id, call.name, false);
  const limits = withDefaults(LIMITS, request.limits);
  const stop = signal ?? new AbortController().signal;
  const api = toolApi(box.descriptors());
  const others = request.listing?.isOver() === false ? namesIn(code) : refusedIn(code, box, api);
  const namespaces = others.length > 0 ? [...new Set([...api.namespaces, ...others])] : api.namespaces;
  const calls: RecordedCall[] = [];
  try {
    const run = (): Promise<ProgramEnd> =>
      programPool.with(ownerOf(caller), stop, (process, slot) => {
        const clock = new ProgramClock((isPaused) => (isPaused ? slot.leave() : slot.take()));
        const inner = new InnerCalls({ ...request, code, limits }, clock, calls);
        const onCall: ProgramRequest["onCall"] = (each, over) => inner.run(each, over);
        return process.run({ code, namespaces, limits, onCall }, clock, stop);
      });
    let end = await run();
    // Something may have ended the processes that waited for their next program.
    for (let tries = 1; end.isUnstarted && !stop.aborted && tries < MAX_STARTS; tries++) end = await run();
    if (signal?.aborted) return abortedOutcome(call.id, call.name, true);
    return answeredOutcome(call.id, await resultOf(end, { code, calls, namespaces, limits }));
  } catch (thrown) {
    if (signal?.aborted) return abortedOutcome(call.id, call.name, calls.length > 0);
    return answeredOutcome(call.id, failureResult(`${RUN_CODE}: ${describeError(thrown)}`));
  }
}

/** Names that may be those of servers. Variables of the program hide them. */
function namesIn(code: string): readonly string[] {
  const names = new Set([...code.matchAll(USED_NAME)].map(([, before, after]) => before ?? after ?? ""));
  return [...names].filter(canBeNamespace).slice(0, MAX_NAMES);
}

/** The servers of tools that the program names and the box refuses. If all of a server's are refused, a call must still say why. */
function refusedIn(code: string, box: ToolBox, api: ToolApi): readonly string[] {
  if (!box.refusalOf) return [];
  const members = [...code.matchAll(USED_MEMBER)].slice(0, MAX_NAMES);
  return members.flatMap(([, server = "", name = ""]) =>
    api.serverOf(server) === undefined &&
    canBeNamespace(server) &&
    isRefusedBy(
      box,
      api.missingName(server, name, (tool) => isRefusedBy(box, tool)),
    )
      ? [server]
      : [],
  );
}

const USED_MEMBER = /(?<![\w$.])([a-z_$][\w$]*)\s*(?:\?\.|\.)\s*([\w$]+)/g;

/** Before a member is read, or on the right of a destructuring. */
const USED_NAME = /(?<![\w$.])([a-z_$][\w$]*)\s*(?:\?\.|\.|\[)|\}\s*=\s*([a-z_$][\w$]*)/g;
const MAX_NAMES = 1_000;

/** Models like to write code in a Markdown block. */
function withoutFence(code: string): string {
  const [, inner] = /^\s*```\w*\n([\s\S]*?)\n?```\s*$/.exec(code) ?? [];
  return inner ?? code;
}

/** Whose programs may use the same process, one after the other. */
function ownerOf(caller: Caller | undefined): string {
  if (!caller) return "";
  return caller.principal ?? (caller.isSingle ? "" : caller.key);
}

/** A call that a program made. */
interface RecordedCall {
  readonly name: string;
  readonly input: string;
  /** How it ended, if it has. */
  outcome: "ok" | "running" | { readonly failure: string };
}

interface InnerCallsParts extends RunCodeRequest {
  readonly limits: ProgramLimits;
}

/** The calls of one program. Each runs in the box like any other call of the caller. */
class InnerCalls {
  readonly #parts: InnerCallsParts;
  readonly #calls: RecordedCall[];
  readonly #caller: Caller | undefined;
  #progress = 0;
  #until: AbortSignal | undefined;

  constructor(parts: InnerCallsParts, clock: ProgramClock, calls: RecordedCall[]) {
    this.#parts = parts;
    this.#calls = calls;
    this.#caller = parts.caller && this.#callerWithin(parts.caller, clock);
  }

  async run({ server, name, input }: ProgramCall, over: AbortSignal): Promise<ProgramAnswer> {
    const { box, call, limits, listing, signal } = this.#parts;
    const shown = `${server}.${name}`;
    const recorded: RecordedCall = { name: shown, input, outcome: "running" };
    this.#calls.push(recorded);
    const id = `${call.id}.${this.#calls.length}`;
    // The same for every call of the program.
    this.#until ??= joinSignals(over, signal);
    const until = this.#until;
    let api = toolApi(box.descriptors());
    if (listing?.isOver() === false && !isKnown(box, server, name)) {
      await listing.until(() => isKnown(box, server, name), until).catch(() => {}); // Then the tool is unknown.
      api = toolApi(box.descriptors());
    }
    const tool = api.find(server, name);
    const target = tool?.name ?? api.missingName(server, name, (each) => isRefusedBy(box, each));
    // What a call answers once it is cancelled says nothing about what it did.
    const record = (ended: RecordedCall["outcome"]): void => {
      if (!until.aborted) recorded.outcome = ended;
    };
    const failed = (message: string, fault?: ToolOutcome["fault"]): ProgramAnswer => {
      record({ failure: message });
      const { kind, retrySafe } = fault ?? {};
      return { kind: "failed", text: JSON.stringify({ message, tool: target, kind, retrySafe }) };
    };
    try {
      if (isTooDeep(input)) return failed("the arguments are nested too deeply");
      const meta = call.meta && { meta: call.meta };
      const inner: ToolCall = {
        id,
        name: target,
        input: JSON.parse(input),
        ...meta,
      };
      this.#note(shown);
      const outcome = await box.runner.run(inner, until, this.#caller);
      if (outcome.fault || outcome.isError)
        return failed(await failureText(outcome, api, server, tool), outcome.fault);
      const answer = answerOf(outcome, tool);
      const bytes = typeof answer.text === "string" ? Buffer.byteLength(answer.text) : answer.text.byteLength;
      if (bytes > limits.answerBytes)
        return failed(
          `its answer has ${bytes} bytes; a program takes at most ${limits.answerBytes}. It ran.`,
        );
      record("ok");
      return answer;
    } catch (thrown) {
      return failed(describeError(thrown));
    }
  }

  /** The caller as a tool of the program sees it: its questions are answered while the program waits. */
  #callerWithin(caller: Caller, clock: ProgramClock): Caller {
    const { suspend: _suspend, task: _task, ...can } = caller.can;
    const { key, isSingle, principal, client, logLevel } = caller;
    return {
      key,
      ...(isSingle !== undefined && { isSingle }),
      ...(principal !== undefined && { principal }),
      ...(client && { client }),
      can,
      ...(caller.progress && {
        progress: ({ progress, total, message }) =>
          this.#note(message ?? (total === undefined ? `${progress}` : `${progress} of ${total}`)),
      }),
      ...(caller.log && { log: (entry) => caller.log?.(entry) }),
      ...(logLevel !== undefined && { logLevel }),
      ...(caller.ask && {
        ask: (requests, signal) =>
          clock.pauseFor(caller.ask?.(requests, signal) ?? Promise.reject(new Error("nobody can be asked"))),
      }),
      program: bytesHash(Buffer.from(this.#parts.code)),
      waitFor: (answer) => clock.pauseFor(answer),
    };
  }

  #note(message: string): void {
    this.#progress += 1;
    this.#parts.caller?.progress?.({ progress: this.#progress, message });
  }
}

/** Listed, or refused for a reason. */
function isKnown(box: ToolBox, server: string, name: string): boolean {
  const api = toolApi(box.descriptors());
  const isRefused = (tool: string): boolean => isRefusedBy(box, tool);
  return api.find(server, name) !== undefined || isRefused(api.missingName(server, name, isRefused));
}

function isRefusedBy(box: ToolBox, tool: string): boolean {
  return box.refusalOf?.(tool) !== undefined;
}

/** Deeper values could exhaust the stack of whoever walks them. */
const MAX_DEPTH = 100;

/** Counts brackets, also those in texts: the text is scanned before anything is made of it. */
function isTooDeep(json: string): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (inText) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) inText = false;
    } else if (code === QUOTE) inText = true;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
  }
  return false;
}

const [BACKSLASH, QUOTE, OPEN_BRACE, OPEN_BRACKET, CLOSE_BRACE, CLOSE_BRACKET] = Buffer.from('\\"{[}]');

const MAX_FAILURE = 3_000;

async function failureText(
  { result, fault }: ToolOutcome,
  api: ToolApi,
  server: string,
  tool: ToolDescriptor | undefined,
): Promise<string> {
  const text = shortenText(
    result.content
      .map((block) => blockText(block) ?? "")
      .join("\n")
      .trim() || "the tool failed without a message",
    MAX_FAILURE,
  );
  if (tool || fault?.reason !== "unknown_tool") return text;
  const asked = /__(.*)"$/.exec(text)?.[1] ?? "";
  const similar = await closestNames(asked, api.functions(server));
  return similar.length === 0
    ? text
    : `${text}; did you mean ${similar.map((name) => `${server}.${name}`).join(" or ")}?`;
}

/** What a call resolves with. */
function answerOf(outcome: ToolOutcome, tool: ToolDescriptor | undefined): ProgramAnswer {
  const isTyped = tool !== undefined && outputOf(tool) !== undefined;
  // A large result is passed on as it was received, and parsed by the program.
  const bytes = outcome.wire?.bytes?.();
  if (bytes) return { kind: isTyped ? "typed" : "blocks", text: bytes };
  const { content, structured } = outcome.result;
  if (isTyped && structured !== undefined) return { kind: "json", text: JSON.stringify(structured) };
  const [only] = content;
  if (only && content.length === 1) {
    const text = blockText(only);
    if (text !== undefined) return { kind: "text", text };
    if (only.kind === "json" && !only.mcp)
      return { kind: "json", text: JSON.stringify(only.value) ?? "null" };
  }
  const blocks = content.map((block) =>
    block.kind === "text" ? { type: "text", text: block.text } : block.value,
  );
  return { kind: "json", text: JSON.stringify(blocks) };
}

interface EndedProgram {
  readonly code: string;
  readonly calls: readonly RecordedCall[];
  readonly namespaces: readonly string[];
  readonly limits: ProgramLimits;
}

async function resultOf(end: ProgramEnd, program: EndedProgram): Promise<ToolOutcome["result"]> {
  const { calls, limits } = program;
  const printed =
    end.log === "" ? [] : [`console:\n${end.log}${end.isLogCut ? "\n(more lines were not kept)" : ""}`];
  if (end.kind === "error" || end.kind === "tooLong") {
    const error =
      end.kind === "tooLong"
        ? `the program returned ${end.length ?? 0} bytes; at most ${limits.valueBytes} are kept. Return less`
        : await errorText(end, program);
    return failureResult([error, callsText(calls), ...printed].filter(Boolean).join("\n\n"));
  }
  const value = end.kind === "none" ? nothingText(calls) : end.value;
  const left =
    end.unawaited === 0 ? [] : [`${end.unawaited} calls were cancelled: the program did not wait for them.`];
  return { content: [value, ...left, ...printed].map((text) => ({ kind: "text", text })) };
}

function nothingText(calls: readonly RecordedCall[]): string {
  const made = calls.length === 1 ? "1 call" : `${calls.length} calls`;
  return `(The program returned nothing; it made ${made}. Use return to get a value.)`;
}

/** The message of an error with its place in the code, the tool, and what to do. */
async function errorText({ error }: ProgramEnd, { code, namespaces }: EndedProgram): Promise<string> {
  const { name, message, line, column, tool } = error ?? { name: "Error", message: "unknown" };
  const source = line === undefined ? undefined : code.split("\n")[line - 1];
  const place =
    line === undefined
      ? []
      : [`  at line ${line}, column ${column ?? 1}: ${shortenText(source?.trim() ?? "", 160)}`];
  const [, missing] = name === "ReferenceError" ? (/^'(.+)' is not defined$/.exec(message) ?? []) : [];
  const isModule = name === "SyntaxError" && /^\s*(?:import|export)\b/.test(source ?? "");
  const hint = isModule
    ? [NO_MODULES]
    : missing === undefined
      ? []
      : [NODE_NAMES.has(missing) ? NO_MODULES : await namespaceHint(missing, namespaces)];
  return [`${name}${tool === undefined ? "" : ` (${tool})`}: ${message}`, ...place, ...hint].join("\n");
}

const NO_MODULES =
  "A program is the body of an async function: no modules, files, network or Node. It calls functions of the namespaces, and ends with return.";
const NODE_NAMES: ReadonlySet<string> = new Set(
  "require module exports process Buffer fetch setInterval XMLHttpRequest WebSocket window document Deno Bun".split(
    " ",
  ),
);

async function namespaceHint(name: string, namespaces: readonly string[]): Promise<string> {
  const similar = await closestNames(name, namespaces);
  return similar.length > 0
    ? `Did you mean ${similar.join(" or ")}?`
    : `Namespaces: ${shortenText(namespaces.join(", "), 400)}`;
}

const MAX_LISTED = 50;
const MAX_INPUT = 120;

/** What ran before an error, so that nothing is done twice. */
function callsText(calls: readonly RecordedCall[]): string {
  if (calls.length === 0) return "No call was made.";
  const lines = calls.slice(-MAX_LISTED).map(({ name, input, outcome }, index) => {
    const ended = isRecord(outcome)
      ? `failed: ${shortenText(outcome["failure"], MAX_INPUT)}`
      : outcome === "running"
        ? "was cancelled, and may have had effects"
        : "ok";
    return `${Math.max(0, calls.length - MAX_LISTED) + index + 1}. ${name}(${shortenText(input, MAX_INPUT)}): ${ended}`;
  });
  return ["Calls made until then (do not repeat those that changed something):", ...lines].join("\n");
}
