import type { DefinedTool, FsFile, ToolContext } from "../contract/index.ts";
import { failureResult, mcpBlock, textResult, type ToolResult } from "../../runtime/index.ts";
import { defineNativeTool } from "../kernel/define-native-tool.ts";
import { byteSize } from "./file/byte-size.ts";
import { type ContentKind, detectContent, SAMPLE_BYTES } from "./file/detect-content.ts";
import { LineWindow } from "./file/line-window.ts";
import { openForReading } from "./file/open-for-reading.ts";
import { rememberFile } from "./file/read-gate.ts";
import { shownPath } from "./file/tool-path.ts";
import { utf8Chunks } from "./file/utf8-chunks.ts";

interface ReadInput {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
}

const DEFAULT_LINES = 2000;
const MAX_LINE_CHARS = 2000;
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
/** After the window, lines are counted only this much further: the rest of a huge file is not worth the wait. */
const COUNT_AHEAD_BYTES = 8 * 1024 * 1024;

/** `read`: a window of a text file with line numbers, or an image. */
export function readTool(): DefinedTool {
  return defineNativeTool<ReadInput>({
    name: "read",
    description:
      "Read a text file, with line numbers, or look at an image (PNG, JPEG, GIF, WebP). " +
      `Returns up to ${DEFAULT_LINES} lines from the start unless offset and limit say otherwise; ` +
      "the first line tells which part is shown and how to go on.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1, description: "The file, absolute or relative to the working folder." },
        offset: { type: "integer", minimum: 1, description: "The first line to show, counted from 1." },
        limit: { type: "integer", minimum: 1, description: `How many lines to show. Default ${DEFAULT_LINES}.` },
      },
      required: ["path"],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: async (input, ctx) => {
      const file = await openForReading(ctx, input.path);
      try {
        return await readFile(file, input, ctx);
      } finally {
        await file.close();
      }
    },
  });
}

async function readFile(file: FsFile, input: ReadInput, ctx: ToolContext): Promise<ToolResult> {
  const shown = shownPath(ctx, file.path);
  const sample = await file.read(0, SAMPLE_BYTES);
  const content = detectContent(sample);
  if (content.kind === "image") return showImage(file, shown, content.mimeType);
  if (content.kind === "binary") return failureResult(describeBinary(file, shown, content));

  await rememberFile(ctx, file.path, file.info, () => file.read(0, file.info.size));
  if (sample.byteLength === 0) return textResult(`${shown} is empty (0 bytes)`);
  return showLines(file, shown, { input, ctx, encoding: content.encoding });
}

interface ShowOptions {
  readonly input: ReadInput;
  readonly ctx: ToolContext;
  readonly encoding: "utf-8" | "utf-16le" | "utf-16be";
}

async function showLines(file: FsFile, shown: string, { input, ctx, encoding }: ShowOptions): Promise<ToolResult> {
  const offset = input.offset ?? 1;
  const window = new LineWindow({
    offset,
    limit: input.limit ?? DEFAULT_LINES,
    maxBytes: ctx.budget.maxBytes,
    maxLineChars: MAX_LINE_CHARS,
  });
  const isWhole = await pushThrough(file, window, { encoding, signal: ctx.signal });
  if (window.lines.length === 0) {
    return failureResult(`${shown} has ${window.lineCount} lines; offset ${offset} is past its end`);
  }
  const last = offset + window.lines.length - 1;
  const numbered = window.lines.map((line, index) => `${String(offset + index).padStart(6)}\t${line}`);
  return textResult([header({ shown, offset, last, window, isWhole, encoding }), ...numbered].join("\n"));
}

/** Pushes the file through the window; false when it stopped before the end of a very large file. */
async function pushThrough(
  file: FsFile,
  window: LineWindow,
  options: { readonly encoding: ShowOptions["encoding"]; readonly signal: AbortSignal },
): Promise<boolean> {
  let countedAhead = 0;
  for await (const chunk of utf8Chunks(file, options)) {
    if (window.end !== "open") countedAhead += chunk.byteLength;
    if (countedAhead > COUNT_AHEAD_BYTES) return false;
    window.push(chunk);
  }
  window.finish();
  return true;
}

interface HeaderFacts {
  readonly shown: string;
  readonly offset: number;
  readonly last: number;
  readonly window: LineWindow;
  readonly isWhole: boolean;
  readonly encoding: string;
}

function header({ shown, offset, last, window, isWhole, encoding }: HeaderFacts): string {
  const total = isWhole ? String(window.lineCount) : `more than ${window.lineCount}`;
  const more = isWhole ? window.lineCount - last : undefined;
  const facts = [
    ...(more === 0 ? [] : [`${more ?? "many"} more; continue with offset=${last + 1}`]),
    ...(window.end === "bytes" ? ["stopped at the size limit"] : []),
    ...(window.usesCrlf ? ["CRLF line endings"] : []),
    ...(encoding === "utf-8" ? [] : [encoding.toUpperCase()]),
  ];
  return `${shown}: lines ${offset}-${last} of ${total}${facts.length > 0 ? ` (${facts.join("; ")})` : ""}`;
}

async function showImage(file: FsFile, shown: string, mimeType: string): Promise<ToolResult> {
  const { size } = file.info;
  if (size > MAX_IMAGE_BYTES) {
    return failureResult(
      `${shown} is an image of ${byteSize(size)}, more than the ${byteSize(MAX_IMAGE_BYTES)} that can be shown; make it smaller first`,
    );
  }
  const data = Buffer.from(await file.read(0, size)).toString("base64");
  return {
    content: [
      { kind: "text", text: `${shown}: ${mimeType}, ${byteSize(size)}` },
      mcpBlock({ type: "image", data, mimeType }),
    ],
  };
}

function describeBinary(file: FsFile, shown: string, content: ContentKind & { kind: "binary" }): string {
  const what = content.looksLike ?? "a binary file";
  return `${shown} is ${what} (${byteSize(file.info.size)}); read shows only text and images`;
}

