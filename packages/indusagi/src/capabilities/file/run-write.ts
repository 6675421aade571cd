import { dirname } from "node:path";
import { failureResult, type ToolResult, textResult } from "../../runtime/index.ts";
import type { ToolContext } from "../contract/index.ts";
import { type CurrentFile, currentFile, hardLinkWarning } from "./current-file.ts";
import { shownPath, toolPath } from "./paths/tool-path.ts";
import { gateRefusal, rememberWritten } from "./read-gate.ts";
import { keepStyle } from "./text/keep-style.ts";

export interface WriteInput {
  readonly path: string;
  readonly content: string;
}

/** Runs while no other call changes the file. `realPath` is the path with links followed; it need not exist yet. */
export async function runWrite(input: WriteInput, realPath: string, ctx: ToolContext): Promise<ToolResult> {
  const { content } = input;
  const path = toolPath(ctx, input.path);
  const shown = shownPath(ctx, path);
  const current = await currentFile(ctx, path);
  const refusal = current && gateRefusal(ctx, current);
  if (refusal) return failureResult(`write: ${shown} ${refusal}`);

  const { bytes, kept } = current
    ? keepStyle(current.content, content)
    : { bytes: Buffer.from(content), kept: [] };
  ctx.signal.throwIfAborted();
  if (!current) await ctx.fs.mkdir(dirname(realPath), { recursive: true });
  await ctx.fs.writeFile(path, bytes, current ? { onlyIf: current.info } : { onlyNew: true });
  await rememberWritten(ctx, path, bytes);
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
