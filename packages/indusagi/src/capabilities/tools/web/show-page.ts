import { STATUS_CODES } from "node:http";
import { mcpBlock, type ToolResult } from "../../../runtime/index.ts";
import type { OutputBudget } from "../../contract/index.ts";
import { clamp } from "../../kernel/index.ts";
import { decodeInSlices } from "./fetch/decode-text.ts";
import type { FetchedPage } from "./fetch/fetch-page.ts";
import { htmlToMarkdown } from "./html/html-to-markdown.ts";
import { inSlices } from "./in-slices.ts";
import { pageKind } from "./page-kind.ts";
import { cleanText, frameUntrusted, oneLine, UNTRUSTED_NOTE } from "./untrusted-text.ts";

export interface ShowOptions {
  readonly budget: OutputBudget;
  /** The limit that the page was read with. */
  readonly maxBytes: number;
}

/** The first lines of an error page suffice. */
const ERROR_PAGE_BYTES = 4096;

/** A fetched page as a tool result: a header about the response, then the framed text or the image. */
export async function showPage(page: FetchedPage, options: ShowOptions): Promise<ToolResult> {
  const isError = page.status < 200 || page.status > 299;
  const header = headerOf(page, options);
  const text = (body: string): ToolResult => ({
    content: [{ kind: "text", text: `${header}\n${body}` }],
    ...(isError ? { isError: true } : {}),
  });
  if (page.bytes.length === 0) return text("\n(the body is empty)");

  const kind = pageKind(page.contentType, page.bytes);
  if (kind.kind === "binary") return text("\n(not text, so the content is not shown)");
  if (kind.kind === "image") {
    if (page.cut) return text(`\n(an image of type ${kind.mimeType}, not completely read: raise maxBytes)`);
    const data = Buffer.from(page.bytes).toString("base64");
    const shown = text(`\n(an image of type ${kind.mimeType})`);
    return {
      ...shown,
      content: [...shown.content, mcpBlock({ type: "image", data, mimeType: kind.mimeType })],
    };
  }

  const maxBytes = isError ? Math.min(ERROR_PAGE_BYTES, options.budget.maxBytes) : options.budget.maxBytes;
  const body =
    kind.kind === "html" ? await readable(page) : await decodeInSlices(page.bytes, page.contentType);
  const shown = clamp((await inSlices(body, cleanText)).trim(), { kind: "head", maxBytes, notice: omitted });
  return text(`${UNTRUSTED_NOTE}\n\n${frameUntrusted(shown)}`);
}

async function readable(page: FetchedPage): Promise<string> {
  const source = await decodeInSlices(page.bytes, page.contentType);
  const { title, markdown, isCut } = await htmlToMarkdown(source, page.url.href);
  const heading = oneLine(title, 300);
  const rest = isCut ? "\n\n[... the page continues; it is too long to convert completely ...]" : "";
  return `${heading === "" ? "" : `Title: ${heading}\n\n`}${markdown}${rest}`;
}

function headerOf(page: FetchedPage, options: ShowOptions): string {
  const type = oneLine(page.contentType, 100) || "not given";
  const size = {
    whole: `${page.bytes.length} bytes`,
    cap: `the first ${page.bytes.length} bytes; there is more (maxBytes was ${options.maxBytes})`,
    lost: `${page.bytes.length} bytes, not complete: the connection was lost`,
  }[page.cut ?? "whole"];
  const status = `${page.status} ${STATUS_CODES[page.status] ?? ""}`.trimEnd();
  return `URL: ${oneLine(page.url.href, 2000)}\nStatus: ${status}\nContent-Type: ${type}\nSize: ${size}`;
}

function omitted(bytes: number): string {
  return `\n[... ${bytes} more bytes of text omitted ...]`;
}
