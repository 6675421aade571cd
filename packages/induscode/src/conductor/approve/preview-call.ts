import { type Fs, localFs, makeLocalContext, type ToolContext, toolPath } from "indusagi/capabilities";
import type { ToolDescriptor } from "indusagi/llm";
import { argumentsOf, type ToolCall } from "indusagi/runtime";
import type { CallEffect } from "../../policy/index.ts";
import type { CallPreview } from "../contract.ts";

export interface PreviewedCall {
  readonly call: ToolCall;
  readonly descriptor: ToolDescriptor;
  readonly effect: Pick<CallEffect, "command">;
}

/** What a call would do: the exact command, the diff of the file, or else the arguments. Changes nothing. */
export async function previewCall(
  { call, descriptor, effect }: PreviewedCall,
  { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
): Promise<CallPreview> {
  if (effect.command) return { kind: "command", command: effect.command.text, cwd: effect.command.cwd };
  const isFileChange = !descriptor.origin && (call.name === "edit" || call.name === "write");
  const difference = isFileChange ? await previewChange(call, descriptor, { cwd, signal }) : undefined;
  return difference ?? { kind: "arguments", json: showArguments(call.input) };
}

/** Undefined if the call would fail: then its arguments say more. */
async function previewChange(
  call: ToolCall,
  { parameters }: ToolDescriptor,
  { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
): Promise<CallPreview | undefined> {
  const input = argumentsOf(call, parameters) as { readonly [name: string]: unknown };
  if (typeof input?.["path"] !== "string") return undefined;
  await using session = makeLocalContext(cwd, { fs: withoutWriting(localFs({ read: [cwd], write: [cwd] })) });
  const { contextId, fs, shell, budget, framework } = session;
  const ctx: ToolContext = { contextId, cwd: session.cwd, fs, shell, budget, framework, signal, call };
  try {
    return call.name === "edit" ? await previewEdit(input, ctx) : await previewWrite(input, ctx);
  } catch {
    return undefined;
  }
}

/** Runs the tool itself on a file system that drops changes, so the diff is exactly what it would make. */
async function previewEdit(
  input: { readonly [name: string]: unknown },
  ctx: ToolContext,
): Promise<CallPreview | undefined> {
  const { editTool } = await import("indusagi/capabilities");
  const { content, isError } = await editTool().execute(input, ctx);
  const value = content.flatMap((block) => (block.kind === "json" ? [block.value] : []))[0];
  const { diff } = (value ?? {}) as { readonly diff?: unknown };
  if (isError || typeof diff !== "string") return undefined;
  return { kind: "diff", path: toolPath(ctx, input["path"] as string), diff, isNew: false };
}

async function previewWrite(
  input: { readonly [name: string]: unknown },
  ctx: ToolContext,
): Promise<CallPreview | undefined> {
  const { path: given, content } = input;
  if (typeof given !== "string" || typeof content !== "string") return undefined;
  const path = toolPath(ctx, given);
  const isNew = !(await ctx.fs.exists(path));
  const before = isNew ? "" : await ctx.fs.readText(path);
  if (before === "") return { kind: "diff", path, diff: addedLines(given, content), isNew };
  if (before === content) return { kind: "diff", path, diff: "", isNew };
  return previewEdit({ path: given, oldText: before, newText: content }, ctx);
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
