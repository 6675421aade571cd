import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The folder of this repository, with a slash at its end. */
export const root: string = fileURLToPath(new URL("../..", import.meta.url));

/** A document of this repository, such as `docs/flow.md`. */
export function readDocument(path: string): string {
  return readFileSync(`${root}${path}`, "utf8");
}

export interface CodeBlock {
  readonly language: string;
  readonly body: string;
}

/** The code blocks of a document in order. */
export function codeBlocks(text: string): readonly CodeBlock[] {
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = "", body = ""]) => ({
    language,
    body,
  }));
}

/** The command lines in the `sh` blocks of a document, without comments. A backslash continues a line. */
export function shellCommands(text: string): readonly string[] {
  return codeBlocks(text)
    .filter(({ language }) => language === "sh")
    .flatMap(({ body }) => body.replaceAll("\\\n", " ").split("\n"))
    .map((line) => line.replace(/\s+#.*$/, "").trim())
    .filter((line) => line !== "");
}
