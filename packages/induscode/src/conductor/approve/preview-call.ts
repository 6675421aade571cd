import {
  type Fs,
  localFs,
  makeLocalContext,
  type ReadStateHandle,
  type ToolContext,
  type ToolResult,
  toolPath,
} from "indusagi/capabilities";
import type { ToolDescriptor } from "indusagi/llm";
import { argumentsOf, blockText, type ToolCall } from "indusagi/runtime";
import type { CallEffect } from "../../policy/index.ts";
import type { CallPreview } from "../contract.ts";

export interface PreviewedCall {
  readonly call: ToolCall;
  readonly descriptor: ToolDescriptor;
  readonly effect: Pick<CallEffect, "command">;
}

export interface PreviewOptions {
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** The files that the session has seen: its tools change no other ones. */
  readonly readState?: ReadStateHandle | undefined;
}

/** What a call would do, or what its tool would answer if it would fail. */
export interface PreviewedEffect {
  readonly preview: CallPreview;
  /** Why a change of a file cannot be made, in the words of its tool. */
  readonly failure?: string | undefined;
}

/** What a call would do: the exact command, the diff of the file, or else the arguments. Changes nothing. */
export async function previewCall(
  { call, descriptor, effect }: PreviewedCall,
  options: PreviewOptions,
): Promise<PreviewedEffect> {
  if (effect.command)
    return { preview: { kind: "command", command: effect.command.text, cwd: effect.command.cwd } };
  const isFileChange = !descriptor.origin && (call.name === "edit" || call.name === "write");
  const { preview, failure } = isFileChange ? await previewChange(call, descriptor, options) : {};
  return { preview: preview ?? { kind: "arguments", json: showArguments(call.input) }, failure };
}

/** Runs the tool itself on a file system that drops changes, so both the diff and a failure are what it would make. */
async function previewChange(
  call: ToolCall,
  { parameters }: ToolDescriptor,
  { cwd, signal, readState }: PreviewOptions,
): Promise<{ readonly preview?: CallPreview | undefined; readonly failure?: string }> {
  const input = argumentsOf(call, parameters) as Input;
  await using session = makeLocalContext(cwd, { fs: withoutWriting(localFs({ read: [cwd], write: [cwd] })) });
  const { contextId, fs, shell, budget, framework } = session;
  const plain: ToolContext = { contextId, cwd: session.cwd, fs, shell, budget, framework, signal, call };
  const ctx = readState ? { ...plain, framework: { ...framework, readState: onlyRead(readState) } } : plain;
  const { editTool, writeTool } = await import("indusagi/capabilities");
  const isEdit = call.name === "edit";
  const result = await (isEdit ? editTool() : writeTool()).execute(input, ctx);
  if (result.isError)
    return { failure: result.content.flatMap((block) => blockText(block) ?? []).join("\n") };
  try {
    return { preview: isEdit ? editPreview(result, input, plain) : await previewWrite(input, plain) };
  } catch {
    return {}; // Not a text file, for example. Its arguments say enough.
  }
}

interface Input {
  readonly [name: string]: unknown;
}

function editPreview({ content }: ToolResult, { path }: Input, ctx: ToolContext): CallPreview | undefined {
  const value = content.flatMap((block) => (block.kind === "json" ? [block.value] : []))[0];
  const { diff } = (value ?? {}) as { readonly diff?: unknown };
  if (typeof diff !== "string" || typeof path !== "string") return undefined;
  return { kind: "diff", path: toolPath(ctx, path), diff, isNew: false };
}

async function previewWrite(
  { path: given, content }: Input,
  ctx: ToolContext,
): Promise<CallPreview | undefined> {
  if (typeof given !== "string" || typeof content !== "string") return undefined;
  const path = toolPath(ctx, given);
  const isNew = !(await ctx.fs.exists(path));
  const before = isNew ? "" : await ctx.fs.readText(path);
  if (before === "") return { kind: "diff", path, diff: addedLines(given, content), isNew };
  if (before === content) return { kind: "diff", path, diff: "", isNew };
  const { editTool } = await import("indusagi/capabilities");
  const whole = { path: given, oldText: before, newText: content };
  return editPreview(await editTool().execute(whole, ctx), whole, ctx);
}

const MAX_ADDED_LINES = 400;

/** A unified diff for a file that was empty. */
function addedLines(path: string, content: string): string {
  const lines = content.replace(/\n$/, "").split("\n");
  const shown = lines.slice(0, MAX_ADDED_LINES).map((line) => `+${line}`);
  const rest = lines.length - shown.length;
  return [
    `--- ${path}`,
    `+++ ${path}`,
    `@@ -0,0 +1,${lines.length} @@`,
    ...shown,
    ...(rest > 0 ? [`[... ${rest} more lines ...]`] : []),
    "",
  ].join("\n");
}

/** What the session has seen. The preview itself sees nothing. */
function onlyRead(readState: ReadStateHandle): ReadStateHandle {
  return { get: (path) => readState.get(path), has: (path) => readState.has(path), set: () => {} };
}

function withoutWriting(fs: Fs): Fs {
  return {
    readText: (path) => fs.readText(path),
    readBytes: (path) => fs.readBytes(path),
    open: (path) => fs.open(path),
    stat: (path, options) => fs.stat(path, options),
    readDir: (path) => fs.readDir(path),
    readLink: (path) => fs.readLink(path),
    resolve: (path) => fs.resolve(path),
    exists: (path) => fs.exists(path),
    writeFile: async () => {},
    mkdir: async () => {},
    rm: async () => {},
  };
}

function showArguments(input: unknown): string {
  return JSON.stringify(input ?? {}, undefined, 2) ?? "";
}
