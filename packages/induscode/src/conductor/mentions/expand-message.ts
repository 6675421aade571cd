import { describeError } from "indusagi/core";
import type { RelayOptions } from "indusagi/interop";
import type { Caller } from "indusagi/runtime";
import { type ContentParts, partsOfMessages, partsOfResource } from "./content-parts.ts";
import {
  type MentionedServers,
  type PromptCommand,
  promptArguments,
  promptCommands,
  promptSignature,
} from "./prompt-names.ts";
import { parsePromptWords } from "./prompt-words.ts";

/** A message for the model, or why there is none. */
export type ExpandedMessage =
  | { readonly content: ContentParts }
  | { readonly problem: string }
  /** It begins with `/` and a name that no prompt has. */
  | { readonly unknownCommand: string; readonly known: readonly string[] };

export interface ExpandOptions {
  /** Absent: there are no servers. */
  readonly servers?: MentionedServers | undefined;
  /** Answers the servers' questions. */
  readonly caller?: Caller | undefined;
  readonly signal?: AbortSignal | undefined;
}

const COMMAND = /^\/([A-Za-z0-9_-]+)(?:\s+([\s\S]*))?$/;
/** A server, a colon, and a URI without spaces. */
const MENTION = /(?<=^|\s)@([A-Za-z0-9_.-]+):(\S+)/g;

/**
 * Turns typed text into a message: `/server__prompt words` becomes the messages of that prompt, and the resource of each
 * `@server:uri` is added. A mention of an unknown server stays text. Rejects only when the signal aborts.
 */
export async function expandMessage(text: string, options: ExpandOptions): Promise<ExpandedMessage> {
  const [, name, words = ""] = COMMAND.exec(text.trim()) ?? [];
  try {
    return name === undefined
      ? await withResources(text, options)
      : await promptMessage(name, words, options);
  } catch (thrown) {
    options.signal?.throwIfAborted();
    return { problem: describeError(thrown) };
  }
}

async function promptMessage(name: string, words: string, options: ExpandOptions): Promise<ExpandedMessage> {
  const { servers, signal } = options;
  const prompts = servers ? await promptCommands(servers, signal) : [];
  const prompt = prompts.find((each) => each.name === name);
  if (!servers || !prompt) return { unknownCommand: name, known: prompts.map((each) => each.name) };
  const parsed = parsePromptWords(words, promptArguments(prompt.item));
  if ("problem" in parsed)
    return { problem: `/${name}: ${parsed.problem}; it takes: ${signatureOf(prompt)}` };
  const request = { name: String(prompt.item["name"]), args: parsed.args };
  const { messages } = await servers.relay.getPrompt(prompt.server, request, requestOptions(options));
  if (!Array.isArray(messages) || messages.length === 0)
    return { problem: `/${name}: server "${prompt.server}" answered without messages` };
  return { content: partsOfMessages(messages) };
}

export function signatureOf({ name, item }: PromptCommand): string {
  return promptSignature(name, item);
}

async function withResources(text: string, options: ExpandOptions): Promise<ExpandedMessage> {
  const { servers } = options;
  const own = { kind: "text", text } as const;
  if (!servers) return { content: [own] };
  const [ready, known] = [new Set([...servers.ready(), ...servers.starting()]), new Set(servers.known())];
  const mentions = [...text.matchAll(MENTION)].filter(([, server = ""]) => known.has(server));
  const [, down, address = ""] = mentions.find(([, server = ""]) => !ready.has(server)) ?? [];
  if (down !== undefined)
    return { problem: `@${down}:${uriOf(address)} cannot be added: server "${down}" is not connected` };
  const read = await Promise.all(
    mentions.map(async ([, server = "", mentioned = ""]) => {
      const { contents } = await servers.relay.readResource(
        server,
        uriOf(mentioned),
        requestOptions(options),
      );
      if (!Array.isArray(contents)) throw new Error(`server "${server}" answered without contents`);
      return partsOfResource(contents, server);
    }),
  );
  return { content: [own, ...read.flat()] };
}

function requestOptions({ signal, caller }: ExpandOptions): RelayOptions {
  return { ...(signal && { signal }), ...(caller && { caller }) };
}

/** Punctuation after a mention belongs to the sentence, not to the URI. */
function uriOf(address: string): string {
  return address.replace(/[.,;:!?)\]}'"]+$/, "");
}
