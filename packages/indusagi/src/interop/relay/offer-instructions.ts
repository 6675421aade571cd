import type { Caller } from "../../runtime/index.ts";
import type { ResourceProvider } from "../contract/index.ts";
import { instructionsUri, serverOfInstructionsUri } from "./instructions-uri.ts";

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
