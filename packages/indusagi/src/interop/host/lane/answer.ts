import { isRecord } from "../../../core/internal.ts";
import { type CacheHint, MetaKey, type RawResult, type RpcMessage } from "../../contract/index.ts";
import { RpcCode } from "../../wire/index.ts";
import { type OfferedTools, receivedResult } from "../offer/provide-tools.ts";
import type { HostConnection } from "../request/host-connection.ts";
import { isLarge } from "../stream/json-pieces.ts";
import type { Piece } from "../stream/response-writer.ts";

/** An answer: the message, and its text if that is known without writing the message. */
export interface Answer {
  readonly message: RpcMessage & { readonly id: string | number };
  readonly pieces?: readonly Piece[] | undefined;
}

/** Smaller results are written again, which costs less than a second write to the client. */
const MIN_BYTES = 16 * 1024;

/** The answer to a call. In the modern era it names the host that gives it; over a link the other end names itself. */
export function resultAnswer(
  { peer, info, core }: HostConnection,
  id: string | number,
  result: RawResult,
): Answer {
  const received = receivedResult(result);
  const bytes =
    received && (received.isUnread || received.bytes.length >= MIN_BYTES) ? received.bytes : undefined;
  const whole = (): RawResult => (received?.isUnread ? received.value() : result);
  if (peer.era === "legacy" || core.isLinked) {
    if (!bytes) return { message: { result, jsonrpc: "2.0", id } };
    return { message: messageOf(id, whole), pieces: ['{"result":', bytes, endOf(id)] };
  }
  const message = messageOf(id, () => modernResult(whole(), info));
  const added = `,"resultType":"complete","_meta":${identityText(info)}}${endOf(id)}`;
  const copied = bytes && ['{"result":', bytes.subarray(0, -1), added];
  if (received?.isUnread) return { message, pieces: copied };
  // What we add is the end of the object, unless it has these members already, or none.
  const isOpen = result["_meta"] === undefined && result["resultType"] === undefined && hasMembers(result);
  if (!isOpen || (!bytes && isLarge(result))) return { message };
  return { message, pieces: copied ?? [`{"result":${JSON.stringify(result).slice(0, -1)}${added}`] };
}

/** An answer whose result is made only if it is looked at. */
function messageOf(id: string | number, result: () => RawResult): Answer["message"] {
  return {
    get result() {
      return result();
    },
    jsonrpc: "2.0",
    id,
  };
}

function hasMembers(result: RawResult): boolean {
  for (const name in result) if (result[name] !== undefined) return true;
  return false;
}

/** The answer to `tools/list`. Undefined if the SDK has to change a schema for a legacy client. */
export function listAnswer(
  { peer, info }: HostConnection,
  id: string | number,
  { result, hint }: OfferedTools,
): Answer | undefined {
  const listed = listedTexts(result);
  if (peer.era === "legacy") {
    if (!listed.legacy) return undefined;
    return { message: { result, jsonrpc: "2.0", id }, pieces: [listed.legacy, `}${endOf(id)}`] };
  }
  const { ttlMs, cacheScope } = statedHint(hint);
  const added = `,"resultType":"complete","ttlMs":${ttlMs},"cacheScope":"${cacheScope}","_meta":${identityText(info)}}`;
  const message = messageOf(id, () => modernResult({ ...listed.modernResult, ttlMs, cacheScope }, info));
  return { message, pieces: [listed.modern, `${added}${endOf(id)}`] };
}

/** The answer to a request that failed, as the SDK writes it. */
export function errorAnswer(id: string | number, thrown: unknown): Answer {
  const { code, message, data } = (thrown ?? {}) as {
    readonly [member in "code" | "message" | "data"]?: unknown;
  };
  const given = Number.isSafeInteger(code) ? (code as number) : RpcCode.INTERNAL_ERROR;
  const error = {
    code: given === RpcCode.RESOURCE_NOT_FOUND ? RpcCode.INVALID_PARAMS : given,
    message: (message ?? "Internal error") as string,
    ...(data !== undefined && { data }),
  };
  return { message: { jsonrpc: "2.0", id, error } };
}

/** The end of an answer whose result comes first. */
function endOf(id: string | number): string {
  return `,"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
}

/** What the SDK adds to each result of the modern era: that it is complete, and who gives it. */
function modernResult(result: RawResult, info: HostConnection["info"]): RawResult {
  const meta = result["_meta"];
  const typed = result["resultType"] === undefined ? { ...result, resultType: "complete" } : { ...result };
  if (meta === undefined) return { ...typed, _meta: { [MetaKey.SERVER_INFO]: info } };
  if (!isRecord(meta) || meta[MetaKey.SERVER_INFO] !== undefined) return typed;
  return { ...typed, _meta: { ...meta, [MetaKey.SERVER_INFO]: info } };
}

const identities = new WeakMap<object, string>();

function identityText(info: HostConnection["info"]): string {
  const text = identities.get(info) ?? JSON.stringify({ [MetaKey.SERVER_INFO]: info });
  identities.set(info, text);
  return text;
}

/** What a list without a valid hint says: it may not be used again. */
function statedHint(hint: CacheHint | undefined): CacheHint {
  const { ttlMs = 0, cacheScope = "private" } = hint ?? {};
  return {
    ttlMs: Number.isSafeInteger(ttlMs) && ttlMs >= 0 ? ttlMs : 0,
    cacheScope: cacheScope === "public" ? "public" : "private",
  };
}

/** The texts of a list up to its tools, each without its last brace. */
interface ListedTexts {
  /** Undefined if a tool has an output schema that legacy clients cannot use as it is. */
  readonly legacy: Piece | undefined;
  readonly modern: Piece;
  readonly modernResult: RawResult;
}

const texts = new WeakMap<RawResult, ListedTexts>();

/** Written once per change of the tools. */
function listedTexts(result: RawResult): ListedTexts {
  const known = texts.get(result) ?? writeList(result);
  texts.set(result, known);
  return known;
}

function writeList(result: RawResult): ListedTexts {
  const tools = result["tools"] as readonly RawResult[];
  const text = textUpTo(result);
  const isUsable = tools.every(
    ({ outputSchema: schema }) => !isRecord(schema) || schema["type"] === "object",
  );
  const hasExecution = tools.some((tool) => "execution" in tool);
  // The modern era has no such member.
  const modernResult = hasExecution ? { ...result, tools: tools.map(withoutExecution) } : result;
  return {
    legacy: isUsable ? text : undefined,
    modern: hasExecution ? textUpTo(modernResult) : text,
    modernResult,
  };
}

function withoutExecution(tool: RawResult): RawResult {
  const { execution: _, ...rest } = tool;
  return rest;
}

/** Node sends a short text together with the head. */
const SHORT_CHARS = 16 * 1024;

function textUpTo(result: RawResult): Piece {
  const text = `{"result":${JSON.stringify(result).slice(0, -1)}`;
  return text.length <= SHORT_CHARS ? text : Buffer.from(text);
}
