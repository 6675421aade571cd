import { dirname } from "node:path";
import { failureResult, textResult, type ToolResult } from "../../runtime/index.ts";
import type { DefinedTool, ToolContext } from "../contract/index.ts";
import { defineNativeTool } from "../kernel/define-native-tool.ts";
import { type CurrentFile, currentFile } from "./file/current-file.ts";
import { lockFile } from "./file/file-locks.ts";
import { keepStyle } from "./file/keep-style.ts";
import { gateRefusal, rememberFile } from "./file/read-gate.ts";
import { shownPath, toolPath } from "./file/tool-path.ts";

interface WriteInput {
  readonly path: string;
  readonly content: string;
}

/** `write`: creates a file or replaces all of one. */
export function writeTool(): DefinedTool {
  return defineNativeTool<WriteInput>({
    name: "write",
    description:
      "Create a file, or replace the whole content of one. Missing folders are made. " +
      "An existing file keeps its mode, encoding and line endings. To change a part of a file, use edit.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1, description: "The file, absolute or relative to the working folder." },
        content: { type: "string", description: "The whole new content." },
      },
      required: ["path", "content"],
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    run: async (input, ctx) => {
      const path = toolPath(ctx, input.path);
      return lockFile(ctx.fs, await ctx.fs.resolve(path), () => writeOne(path, input.content, ctx));
    },
  });
}

async function writeOne(path: string, content: string, ctx: ToolContext): Promise<ToolResult> {
  const shown = shownPath(ctx, path);
  const current = await currentFile(ctx, path);
  const refusal = current && gateRefusal(ctx, current.realPath, current.info, current.content);
  if (refusal) return failureResult(`write: ${shown} ${refusal}`);

  const { bytes, kept } = current ? keepStyle(current.content, content) : { bytes: Buffer.from(content), kept: [] };
  ctx.signal.throwIfAborted();
  if (!current) await ctx.fs.mkdir(dirname(path), { recursive: true });
  await ctx.fs.writeFile(path, bytes, current ? { onlyIf: current.info } : { onlyNew: true });
  await rememberFile(ctx, await ctx.fs.resolve(path), await ctx.fs.stat(path), async () => bytes);
  return textResult(report(shown, bytes.byteLength, { current, kept }));
}

interface ReportFacts {
  readonly current: CurrentFile | undefined;
  readonly kept: readonly string[];
}

function report(shown: string, bytes: number, { current, kept }: ReportFacts): string {
  const facts = [
    current ? `replaced ${current.info.size} bytes` : "new file",
    ...(kept.length > 0 ? [`kept ${kept.join(", ")}`] : []),
    ...hardLinkWarning(current),
  ];
  return `wrote ${shown}: ${bytes} bytes (${facts.join("; ")})`;
}

/** A file put in place of another is no longer the file its other names lead to. */
export function hardLinkWarning(current: CurrentFile | undefined): string[] {
  const names = current?.info.links ?? 1;
  return names > 1 ? [`warning: ${names - 1} other hard link(s) still lead to the old content`] : [];
}
