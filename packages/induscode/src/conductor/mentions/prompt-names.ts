import { type ListedItem, type Relay, type ServerItems, wireName } from "indusagi/interop";
import { toolSignature } from "indusagi/llm";

/** One item and the server that listed it. */
export interface ServerItem {
  readonly server: string;
  readonly item: ListedItem;
}

/** The name of a prompt in our lists, made like tool names. */
export function promptName({ server, item }: ServerItem, maxChars: number): string {
  return wireName({ server, name: String(item["name"]) }, maxChars);
}

/** A prompt as a function of its arguments, which are all strings. */
export function promptSignature(name: string, item: ListedItem): string {
  const known = promptArguments(item);
  const properties = Object.fromEntries(known.map((each) => [each.name, { type: "string" }]));
  const required = known.filter(({ isRequired }) => isRequired).map((each) => each.name);
  return toolSignature({ name, parameters: { properties, required } });
}

export interface PromptArgument {
  readonly name: string;
  readonly isRequired: boolean;
}

/** The arguments that a prompt declares. Malformed ones are skipped. */
export function promptArguments({ arguments: declared }: ListedItem): readonly PromptArgument[] {
  if (!Array.isArray(declared)) return [];
  return declared.flatMap((argument: unknown) => {
    const { name, required } = Object(argument) as { readonly name?: unknown; readonly required?: unknown };
    return typeof name === "string" ? [{ name, isRequired: required === true }] : [];
  });
}

/** The servers that a message can refer to. */
export interface MentionedServers {
  readonly relay: Relay;
  /** The servers that can be asked now. */
  readonly ready: () => readonly string[];
  /** The servers that are starting. A request to one waits for it. */
  readonly starting: () => readonly string[];
  /** The prompts that a server which is starting listed last time. Undefined if not known. */
  readonly lastPrompts: (server: string) => ServerItems | undefined;
  /** All servers, including those that are down. */
  readonly known: () => readonly string[];
  /** The longest name of a prompt. */
  readonly maxNameChars: number;
}

/** A prompt that can be typed as `/name`. */
export interface PromptCommand extends ServerItem {
  readonly name: string;
}

/**
 * The prompts of all servers. Does not wait for one that is starting: what it listed last time counts. A server that cannot list
 * its prompts has none. Rejects only when the signal aborts.
 */
export async function promptCommands(
  { relay, ready, starting, lastPrompts, maxNameChars }: MentionedServers,
  signal?: AbortSignal,
): Promise<readonly PromptCommand[]> {
  const servers = ready();
  const expected = starting().flatMap((server) => lastPrompts(server) ?? []);
  const listed =
    servers.length === 0 ? [] : await relay.list("prompts", { servers, ...(signal && { signal }) });
  return [...listed, ...expected].flatMap(({ server, items }) =>
    items
      .filter((item) => typeof item["name"] === "string")
      .map((item) => ({ server, item, name: promptName({ server, item }, maxNameChars) })),
  );
}
