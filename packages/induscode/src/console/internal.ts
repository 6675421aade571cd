// For the rooms of this package only. Loads nothing of the console before its first request.
import type { HttpSite } from "indusagi/interop";
import type * as ownPort from "./own-port.ts";
import type { ConsoleOptions, ConsoleSite } from "./site.ts";

export type { ConfigRow, KnownClient } from "./contract.ts";
export {
  CONSOLE_LIMITS,
  FOLDER_FRAGMENT,
  HIDDEN,
  LINK_FRAGMENT,
  SESSION_HEADER,
} from "./contract.ts";
export { AttachedFolders, folderId } from "./folders.ts";
export {
  announceConsole,
  consoleFolder,
  dropLink,
  isLinkGone,
  makeLink,
  runningConsoles,
} from "./links.ts";
export type { OwnPort } from "./own-port.ts";
export type { CommandOutcome, ConsoleSource, PlainObject } from "./source.ts";

const DATA = "/console/";

/** The console as a site next to a gateway's endpoint. `options` is called once, by the first request. */
export function consoleSite(options: () => Promise<ConsoleOptions>): HttpSite {
  let opening: Promise<ConsoleSite> | undefined;
  const open = async (): Promise<ConsoleSite> => {
    const [{ ConsoleSite }, opened] = await Promise.all([import("./site.ts"), options()]);
    return new ConsoleSite(opened);
  };
  return {
    has: (target) =>
      target === "/" || target === "/favicon.ico" || target.startsWith(DATA) || target.startsWith("/?"),
    serve: async (request, response) => {
      opening ??= open();
      try {
        const site = await opening;
        await site.serve(request, response);
      } catch (thrown) {
        opening = undefined; // Otherwise one bad moment would disable it.
        throw thrown;
      }
    },
  };
}

export const openOwnPort: typeof ownPort.openOwnPort = async (...given) =>
  (await import("./own-port.ts")).openOwnPort(...given);
