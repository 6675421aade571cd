import { isRecord } from "../../../core/internal.ts";
import type { Questions, WireOutline } from "../../../runtime/index.ts";
import type { RawResult } from "../../contract/index.ts";

/** How the URIs of a message are renamed. A function that returns its argument leaves it as it is. */
export interface Renaming {
  /** A URI that can be read: of a link, of an embedded resource, or of an item of a list. */
  readonly uri: (uri: string) => string;
  /** Any text inside a `_meta`. */
  readonly meta: (text: string) => string;
}

/** Deeper values of a `_meta` are left as they are. */
const MAX_DEPTH = 64;

// Each function returns its argument itself if nothing changes, so most messages are not copied.

/** The result of `tools/call`. Structured content and texts are not changed. */
export function renameInResult(result: RawResult, renaming: Renaming): RawResult {
  if (!mayNameUris(result)) return result;
  return withEach(renameMeta(result, renaming), "content", (block) => renameInBlock(block, renaming));
}

/** The result of `prompts/get`. */
export function renameInPrompt(result: RawResult, renaming: Renaming): RawResult {
  const inMessage = (message: unknown): unknown => {
    if (!isRecord(message)) return message;
    const { content } = message;
    if (Array.isArray(content))
      return withEach(renameMeta(message, renaming), "content", (block) => renameInBlock(block, renaming));
    return withMember(renameMeta(message, renaming), "content", renameInBlock(content, renaming));
  };
  return withEach(renameMeta(result, renaming), "messages", inMessage);
}

/** The questions of a server: what it asks a model contains messages, as a prompt does. */
export function renameInQuestions(questions: Questions, renaming: Renaming): Questions {
  const entries = Object.entries(questions);
  const renamed = mapped(entries, (entry) => {
    const [key, question] = entry as (typeof entries)[number];
    const { method, params } = question;
    if (method !== "sampling/createMessage" || !params) return entry;
    const shown = renameInPrompt(params, renaming);
    return shown === params ? entry : [key, { ...question, params: shown }];
  });
  return renamed === entries ? questions : Object.fromEntries(renamed as typeof entries);
}

/** Whether a result asks questions: its request goes on when the client sends it again with the answers. */
export function isSuspended(result: RawResult): boolean {
  return result["resultType"] === "input_required";
}

/** Such a result, whose envelope was removed, for the client. `renaming`: absent if names stay as they are. */
export function suspended(result: RawResult, renaming: Renaming | undefined): RawResult {
  const { inputRequests = {} } = result as { readonly inputRequests?: Questions };
  const shown = renaming ? renameInQuestions(inputRequests, renaming) : inputRequests;
  return { ...result, resultType: "input_required", inputRequests: shown };
}

/** The result of `resources/read`. */
export function renameInContents(result: RawResult, renaming: Renaming): RawResult {
  const inContent = (content: unknown): unknown =>
    isRecord(content) ? renameUri(content, renaming) : content;
  return withEach(renameMeta(result, renaming), "contents", inContent);
}

/** An item of a list: a resource, a template, a prompt or a tool. */
export function renameInItem(item: RawResult, renaming: Renaming): RawResult {
  const renamed = renameUri(item, renaming);
  const { uriTemplate } = renamed;
  return typeof uriTemplate === "string"
    ? withMember(renamed, "uriTemplate", renaming.uri(uriTemplate))
    : renamed;
}

/** Every text of a `_meta`, at any depth. */
export function renameTexts<Value>(value: Value, rename: (text: string) => string): Value {
  return deeply(value, rename, MAX_DEPTH) as Value;
}

/** Most results are plain text, and this check is much cheaper than renaming. */
function mayNameUris({ _meta: meta, content }: RawResult): boolean {
  if (meta !== undefined || !Array.isArray(content)) return meta !== undefined;
  for (const block of content as readonly unknown[]) {
    if (typeof block !== "object" || block === null) continue;
    const { type, _meta: own } = block as { readonly type?: unknown; readonly _meta?: unknown };
    if (own !== undefined || !NAMES_NOTHING.has(type)) return true;
  }
  return false;
}

/** The types of blocks that contain no URI besides those in their `_meta`. */
const NAMES_NOTHING: ReadonlySet<unknown> = new Set(["text", "image", "audio"]);

/** The same for a result that is not parsed. */
export function mayNameUrisIn({ members, blockMembers, blockTypes }: WireOutline): boolean {
  return (
    members.has("_meta") ||
    blockMembers.has("_meta") ||
    [...blockTypes].some((type) => !NAMES_NOTHING.has(type))
  );
}

function renameInBlock(block: unknown, renaming: Renaming): unknown {
  if (!isRecord(block)) return block;
  const { type, resource } = block;
  if (type === "resource_link") return renameUri(block, renaming);
  const renamed = renameMeta(block, renaming);
  if (type === "resource" && isRecord(resource))
    return withMember(renamed, "resource", renameUri(resource, renaming));
  // A result inside a message of a sampling conversation.
  return type === "tool_result"
    ? withEach(renamed, "content", (inner) => renameInBlock(inner, renaming))
    : renamed;
}

function renameUri(item: RawResult, renaming: Renaming): RawResult {
  const renamed = renameMeta(item, renaming);
  const { uri } = renamed;
  return typeof uri === "string" ? withMember(renamed, "uri", renaming.uri(uri)) : renamed;
}

function renameMeta(value: RawResult, { meta }: Renaming): RawResult {
  const { _meta: before } = value;
  return before === undefined ? value : withMember(value, "_meta", renameTexts(before, meta));
}

function deeply(value: unknown, rename: (text: string) => string, depth: number): unknown {
  if (typeof value === "string") return rename(value);
  if (depth === 0) return value;
  if (Array.isArray(value)) return mapped(value, (each) => deeply(each, rename, depth - 1));
  if (!isRecord(value)) return value;
  const values = Object.values(value);
  const renamed = mapped(values, (each) => deeply(each, rename, depth - 1));
  if (renamed === values) return value;
  return Object.fromEntries(Object.keys(value).map((name, at) => [name, renamed[at]]));
}

function withEach(value: RawResult, member: string, change: (each: unknown) => unknown): RawResult {
  const list = value[member];
  return Array.isArray(list) ? withMember(value, member, mapped(list, change)) : value;
}

function withMember(value: RawResult, member: string, next: unknown): RawResult {
  return value[member] === next ? value : { ...value, [member]: next };
}

function mapped(list: readonly unknown[], change: (each: unknown) => unknown): readonly unknown[] {
  const next = list.map(change);
  return next.every((each, at) => each === list[at]) ? list : next;
}
