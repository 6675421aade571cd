import { pathToFileURL } from "node:url";
import { CoreError } from "../../core/index.ts";
import type { QuestionAnswerer } from "../contract/index.ts";

/** Answers `roots/list` with one folder, also for a server that asks while it starts, and no other question. */
export function folderRoots(folder: string): QuestionAnswerer {
  const answer = { roots: [{ uri: pathToFileURL(folder).href, name: "workspace" }] };
  return {
    can: { roots: true },
    ask: async (requests) => {
      const other = Object.values(requests).find(({ method }) => method !== "roots/list");
      if (other) throw new CoreError("no_user", `${other.method} needs a user, and there is none`);
      return Object.fromEntries(Object.keys(requests).map((key) => [key, answer]));
    },
  };
}
