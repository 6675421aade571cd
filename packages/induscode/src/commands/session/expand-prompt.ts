import { existsSync } from "node:fs";
import { type OpenedSession, type Run, readAttachments, type SessionContent } from "../../boot/internal.ts";
import { type ContentParts, expandMessage } from "../../mentions/index.ts";
import { mentionedServers } from "./mentioned-servers.ts";

/** A prompt before the servers are there: its words, its files, and the resources that it names. */
export interface GivenPrompt {
  readonly text: string;
  readonly files: ContentParts;
  /** The words after `@` that are not files but look like `server:uri`. */
  readonly resources: readonly string[];
}

/** Throws, naming the file, if one cannot be used. */
export function sortAttachments(words: readonly string[]): Pick<GivenPrompt, "files" | "resources"> {
  const resources = words.filter((word) => /^[A-Za-z0-9_.-]+:\S/.test(word) && !existsSync(word));
  return { files: readAttachments(words.filter((word) => !resources.includes(word))), resources };
}

/**
 * The message for the model, with the prompt of a server in the place of `/server__prompt`, and with the resources that it
 * names. Undefined if there is none, which was reported.
 */
export async function expandPrompt(
  run: Run,
  { servers }: OpenedSession,
  { text, files, resources }: GivenPrompt,
): Promise<SessionContent | undefined> {
  const mentioned = mentionedServers(servers);
  const ready = mentioned?.ready() ?? [];
  const unknown = resources.find((word) => !ready.includes(word.split(":")[0] ?? ""));
  if (unknown !== undefined) {
    run.report(`@${unknown} cannot be attached: there is no such file, and no connected server of that name`);
    return undefined;
  }
  const words = [text, ...resources.map((resource) => `@${resource}`)].filter((part) => part !== "");
  const expanded = await expandMessage(words.join("\n"), { servers: mentioned, signal: run.signal });
  if ("problem" in expanded) {
    run.report(expanded.problem);
    return undefined;
  }
  // What begins with a slash and is not the name of a prompt is the user's own text.
  const own = [{ kind: "text" as const, text }].filter((part) => part.text !== "");
  return [...("content" in expanded ? expanded.content : own), ...files];
}
