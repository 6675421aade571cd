import type { Flag } from "../flag-spec.ts";
import { mainFlag } from "../flag-table.ts";
import { TOOL_NAMES } from "../tool-names.ts";
import type { UsageProblem } from "../usage-problem.ts";

/** `all`: every tool. `search`: a few, and a search for the others. `auto`: the search for a client that cannot take all. */
const TOOLS_LISTINGS = ["all", "search", "auto"] as const;
export type ToolsListing = (typeof TOOLS_LISTINGS)[number];

function isListing(word: string): word is ToolsListing {
  return TOOLS_LISTINGS.some((listing) => listing === word);
}

/** The flag that chooses tools everywhere. Here one of its words may say how they are listed: no tool has such a name. */
export const TOOLS: Flag = {
  ...mainFlag("--tools"),
  value: "HOW",
  describe:
    "How tools are listed: all (the default), search (a few, and a search for the others) or auto (search for a client that cannot take all). More words choose tools as elsewhere: search,read,notes__*.",
  accepts: {
    describe: `${TOOLS_LISTINGS.join(", ")}, and ${TOOL_NAMES.describe}`,
    known: [...TOOLS_LISTINGS, ...(TOOL_NAMES.known ?? [])],
    isValid: (word) => isListing(word) || TOOL_NAMES.isValid(word),
  },
};

export interface ToolsWords {
  /** How tools are listed, if a word says it. */
  readonly listing?: ToolsListing;
  /** The words that choose tools. */
  readonly names: readonly string[];
}

/** Tells the words of `TOOLS` apart. */
export function readToolsWords(words: readonly string[]): ToolsWords | UsageProblem {
  const [listing, another] = new Set(words.filter(isListing));
  if (another !== undefined) return { problem: `--tools ${listing},${another}: choose one of them` };
  const names = words.filter((word) => !isListing(word));
  return { names, ...(listing === undefined ? {} : { listing }) };
}
