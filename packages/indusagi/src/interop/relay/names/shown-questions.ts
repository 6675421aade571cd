import type { Caller } from "../../../runtime/index.ts";
import { renameInQuestions } from "./rename-uris.ts";
import type { ResourceNames } from "./resource-names.ts";

/** The same caller, who is asked with the URIs in a server's questions named as clients read them. */
export function askedWithShownUris(caller: Caller, names: ResourceNames, server: string): Caller {
  // Only questions for a model contain URIs, and most callers answer none.
  if (!caller.ask || !caller.can.sample) return caller;
  return {
    ...caller,
    ask: async (requests, signal) =>
      caller.ask?.(renameInQuestions(requests, names.inResults(server, caller)), signal) ?? {},
  };
}
