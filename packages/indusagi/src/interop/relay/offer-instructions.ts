import type { Caller } from "../../runtime/index.ts";
import type { ResourceProvider } from "../contract/index.ts";

/** The full instructions of servers. */
export interface InstructionTexts {
  /** The servers that have instructions, in the order of the configuration. */
  readonly servers: () => readonly string[];
  /** The instructions as approved; nothing if there are none, or if they are withheld. */
  readonly textOf: (server: string) => string | undefined;
}

const MIME_TYPE = "text/plain";

/**
 * Resources, followed by the full instructions of each server: what a client gets when it connects may be cut.
 * `keeps`: whether a client sees a server.
 */
export function withInstructionResources(
  provider: ResourceProvider,
  { servers, textOf }: InstructionTexts,
  keeps: (server: string, caller: Caller) => boolean,
): ResourceProvider {
  return {
    ...provider,
    list: async (list, request) => {
      const { resources, ...rest } = await provider.list(list, request);
      const own = servers()
        .filter((server) => keeps(server, request.caller))
        .map((server) => ({
          uri: instructionsUri(server),
          name: `instructions of ${server}`,
          title: `Instructions of ${server}`,
          mimeType: MIME_TYPE,
        }));
      return { ...rest, resources: [...(Array.isArray(resources) ? (resources as unknown[]) : []), ...own] };
    },
    read: (uri, request) => {
      const server = serverOfInstructionsUri(uri);
      if (server === undefined) return provider.read(uri, request);
      const text = keeps(server, request.caller) ? textOf(server) : undefined;
      return text === undefined ? undefined : { contents: [{ uri, mimeType: MIME_TYPE, text }] };
    },
  };
}

const PREFIX = "indus://instructions/";

/** The resource with the full instructions of a server. */
export function instructionsUri(server: string): string {
  return PREFIX + encodeURIComponent(server);
}

/** The server whose instructions a URI names; undefined for any other URI. */
function serverOfInstructionsUri(uri: string): string | undefined {
  if (!uri.startsWith(PREFIX)) return undefined;
  try {
    const server = decodeURIComponent(uri.slice(PREFIX.length));
    // One spelling per server.
    return server !== "" && instructionsUri(server) === uri ? server : undefined;
  } catch {
    return undefined;
  }
}
