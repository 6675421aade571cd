import { dirname } from "node:path";
import { failureResult, type ToolResult, textResult } from "../../runtime/index.ts";
import type { ToolContext } from "../contract/index.ts";
import { shownPath, toolPath } from "./paths/tool-path.ts";
import { type CurrentFile, currentFile, gateRefusal, hardLinkWarning, rememberWritten } from "./read-gate.ts";
import { uniformLineEnding, withLineEnding } from "./text/line-endings.ts";
import { type DecodedText, decodeFileText } from "./text/text-codec.ts";

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

/** Content to write, and which parts of the old file's style it keeps. */
interface StyledContent {
  readonly bytes: Uint8Array;
  /** Phrases for the answer, e.g. `CRLF line endings`. */
  readonly kept: readonly string[];
}

/**
 * Encodes new content like the file it replaces: same encoding, same byte order mark and, if the old file used only
 * one kind, same line endings. A model cannot see these and would otherwise change every line.
 */
export function keepStyle(previous: Uint8Array, content: string): StyledContent {
  const old = decodeFileText(previous);
  if (old.encoding === "bytes") return { bytes: Buffer.from(content), kept: [] };
  const ending = uniformLineEnding(old.text);
  const text = withLineEnding(old.bom && content.startsWith("\ufeff") ? content.slice(1) : content, ending);
  const endingName =
    ending && !content.includes("\r") && text.includes(ending) ? ENDING_NAMES[ending] : undefined;
  return { bytes: old.encode(text), kept: [...(endingName ? [endingName] : []), ...encodingNames(old)] };
}

const ENDING_NAMES = { "\n": undefined, "\r\n": "CRLF line endings", "\r": "CR line endings" } as const;

function encodingNames({ bom, encoding }: DecodedText): string[] {
  return [...(bom ? ["byte order mark"] : []), ...(encoding === "utf-8" ? [] : [encoding.toUpperCase()])];
}
