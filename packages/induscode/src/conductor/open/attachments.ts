import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { describeError, errorCode, magicFormat } from "indusagi/core";
import type { UserMessage } from "indusagi/llm";

const MAX_TEXT_BYTES = 1024 * 1024;
/** The strictest vendor's limit. */
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

/** The files of `@file` words as message parts. Throws, naming the file, if one cannot be used. */
export function readAttachments(paths: readonly string[]): UserMessage["content"] {
  return paths.map((path) => {
    const bytes = readBytes(path);
    const image = magicFormat(bytes)?.image;
    if (image !== undefined) {
      requireSize(path, bytes, MAX_IMAGE_BYTES);
      return { kind: "image" as const, mimeType: image, data: bytes.toString("base64") };
    }
    requireSize(path, bytes, MAX_TEXT_BYTES);
    const text = textOf(bytes);
    if (text === undefined)
      throw new Error(`@${path} is neither text nor an image (png, jpeg, gif, webp); attach one of these`);
    return { kind: "text" as const, text: `<file path=${JSON.stringify(path)}>\n${text}\n</file>` };
  });
}

function readBytes(path: string): Buffer {
  const file = resolve(path);
  try {
    // A pipe or a device would block the whole program.
    if (!statSync(file).isFile()) throw new Error("it is not a regular file");
    return readFileSync(file);
  } catch (thrown) {
    const why = errorCode(thrown) === "ENOENT" ? "there is no such file" : describeError(thrown);
    throw new Error(`@${path} cannot be attached: ${why}`, { cause: thrown });
  }
}

function requireSize(path: string, { length }: Buffer, maxBytes: number): void {
  if (length > maxBytes)
    throw new Error(
      `@${path} is too large to attach: it has ${length} bytes, and at most ${maxBytes} are sent`,
    );
}

function textOf(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
