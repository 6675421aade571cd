import { failureResult, mcpBlock, type ToolResult, textResult } from "../../runtime/index.ts";
import type { FsFile, ToolContext } from "../contract/index.ts";
import { byteSize } from "./byte-size.ts";
import { type FoundFile, openForReading } from "./paths/open-for-reading.ts";
import { rememberRead } from "./read-gate.ts";
import { LineWindow } from "./text/line-window.ts";
import { type ContentKind, detectContent, SAMPLE_BYTES, type Utf16Encoding } from "./text/text-codec.ts";

export interface ReadInput {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
}

type Window = ReadInput & { readonly limit: number };

const MAX_LINE_CHARS = 2000;
const GUTTER_DIGITS = 6;
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
/** How far to read on only to count lines, or the bytes of a long line. More is not worth the wait. */
const MAX_IDLE_BYTES = 2 * 1024 * 1024;

export async function runRead(input: Window, ctx: ToolContext): Promise<ToolResult> {
  const found = await openForReading(ctx, input.path);
  try {
    return await show(found, input, ctx);
  } finally {
    await found.file.close();
  }
}

async function show({ file, shown }: FoundFile, input: Window, ctx: ToolContext): Promise<ToolResult> {
  const sample = await file.read(0, SAMPLE_BYTES);
  const content = detectContent(sample);
  if (content.kind === "binary") return failureResult(describeBinary(file, shown, content));

  await rememberRead(ctx, file);
  if (content.kind === "image") return showImage(file, shown, content.mimeType);
  if (sample.byteLength === 0) return textResult(`${shown} is empty (0 bytes)`);
  const window = new LineWindow({
    offset: input.offset ?? 1,
    limit: input.limit,
    maxBytes: ctx.budget.maxBytes,
    maxLineChars: MAX_LINE_CHARS,
    bytesPerLine: GUTTER_DIGITS + 2,
  });
  const { encoding } = content;
  const isWhole = await pushThrough(file, window, { encoding, signal: ctx.signal });
  return showLines(shown, { window, offset: input.offset ?? 1, isWhole, encoding });
}

/** Pushes the file through the window. Returns false if it stopped before the end of the file. */
async function pushThrough(file: FsFile, window: LineWindow, options: Utf8ChunkOptions): Promise<boolean> {
  for await (const chunk of utf8Chunks(file, options)) {
    window.push(chunk);
    if (window.idleBytes <= MAX_IDLE_BYTES) continue;
    window.finish("given up");
    return false;
  }
  window.finish("end of file");
  return true;
}

interface Shown {
  readonly window: LineWindow;
  readonly offset: number;
  /** The file was read to its end. */
  readonly isWhole: boolean;
  readonly encoding: Utf8ChunkOptions["encoding"];
}

function showLines(shown: string, facts: Shown): ToolResult {
  const { lines, lineCount } = facts.window;
  if (lineCount === 0) return textResult(`${shown} is empty except for its byte order mark`);
  if (lines.length === 0) {
    const count = lineCount === 1 ? "1 line" : `${lineCount} lines`;
    return failureResult(`read: ${shown} has ${count}; offset ${facts.offset} is past its end`);
  }
  const numbered = lines.map((line, at) => `${String(facts.offset + at).padStart(GUTTER_DIGITS)}\t${line}`);
  return textResult([header(shown, facts), ...numbered].join("\n"));
}

function header(shown: string, { window, offset, isWhole, encoding }: Shown): string {
  const last = offset + window.lines.length - 1;
  const left = window.lineCount - last;
  const more = isWhole ? left : left === 0 ? "maybe" : `at least ${left}`;
  const facts = [
    ...(more === 0 ? [] : [`${more} more; continue with offset=${last + 1}`]),
    ...(window.end === "bytes" ? ["stopped at the size limit"] : []),
    ...(window.endings.crlf > 0 ? [window.endings.lf > 0 ? "mixed line endings" : "CRLF line endings"] : []),
    ...(encoding === "utf-8" ? [] : [encoding.toUpperCase()]),
    ...(window.hasInvalidBytes ? ["bytes that are not UTF-8 are shown as \ufffd"] : []),
  ];
  const total = `${isWhole ? "" : "at least "}${window.lineCount}`;
  return `${shown}: lines ${offset}-${last} of ${total}${facts.length > 0 ? ` (${facts.join("; ")})` : ""}`;
}

async function showImage(file: FsFile, shown: string, mimeType: string): Promise<ToolResult> {
  const { size } = file.info;
  if (size > MAX_IMAGE_BYTES) {
    const limit = byteSize(MAX_IMAGE_BYTES);
    return failureResult(
      `read: ${shown} is an image of ${byteSize(size)}, more than the ${limit} that can be shown; make it smaller first`,
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
  return `read: ${shown} is ${what} (${byteSize(file.info.size)}); read shows only text and images`;
}

const CHUNK_BYTES = 256 * 1024;

interface Utf8ChunkOptions {
  readonly encoding: "utf-8" | Utf16Encoding;
  readonly signal: AbortSignal;
}

/**
 * Reads a file lazily as chunks of UTF-8, without the byte order mark. A chunk is valid until the next one is asked
 * for: all chunks share one buffer, because the garbage of a long scan would cost up to 64 MB.
 */
async function* utf8Chunks(file: FsFile, { encoding, signal }: Utf8ChunkOptions): AsyncGenerator<Uint8Array> {
  const decoder = encoding === "utf-8" ? undefined : new TextDecoder(encoding);
  // The first chunk is small, because most reads need no more.
  let buffer = new Uint8Array(CHUNK_BYTES / 4);
  for (let position = 0; ; ) {
    signal.throwIfAborted();
    const chunk = await file.read(position, buffer.length, buffer);
    if (chunk.byteLength === 0) break;
    const body = position === 0 ? withoutUtf8Bom(chunk) : chunk;
    yield decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : body;
    position += chunk.byteLength;
    if (buffer.length < CHUNK_BYTES) buffer = new Uint8Array(CHUNK_BYTES);
  }
  // An incomplete character at the end becomes a replacement character; it is not dropped.
  if (decoder) yield Buffer.from(decoder.decode());
}

function withoutUtf8Bom(chunk: Uint8Array): Uint8Array {
  return chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf ? chunk.subarray(3) : chunk;
}
