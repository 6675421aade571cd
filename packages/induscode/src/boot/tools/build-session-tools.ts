import type { OutputPlace } from "indusagi/capabilities";
import { capabilityIds } from "../../deck/catalog/index.ts";
import {
  type Capability,
  type CapabilitySource,
  DeckFault,
  type DeckFramework,
  type Profile,
} from "../../deck/contract/index.ts";
import { createDeckContext, provisionDeck, type ToolDeck } from "../../deck/provision/index.ts";
import { canonToolName, isMountedPattern, type ToolSelection } from "../../launch/internal.ts";
import type { Run } from "../run/open-run.ts";
import { selectTools } from "./select-tools.ts";

export interface SessionToolsOptions {
  /** The folder that the tools work in. */
  readonly cwd: string;
  /** Which of our own tools there are before `--tools` filters. Default: `all`. */
  readonly profile?: Profile | "none";
  /** The tools of the servers. Those of a live source come and go with it. */
  readonly mcp?: Iterable<Capability> | CapabilitySource;
  /** Tools that are added last. `--tools` does not apply to them. */
  readonly extras?: Iterable<Capability> | CapabilitySource;
  /** The handles of the app cards. */
  readonly framework?: DeckFramework;
  /** See `makeLocalContext`. */
  readonly outputPlace?: OutputPlace;
  /** Folders that the tools may read besides `cwd` and that of `outputPlace`. Default: none. */
  readonly readable?: readonly string[];
  /** Called once for each tool that cannot be offered, with the reason. */
  readonly report?: (message: string) => void;
}

/**
 * The tools of a session: those of the deck and of the servers that `--tools` keeps, then the extras. A pattern for
 * tools of servers must have only one reading. Undefined with `--no-tools`. Throws a `DeckFault` if `--tools` names an unknown tool. Close the
 * deck to end the processes that its tools left running.
 */
export function buildSessionTools(
  { tools = [], noTools = false }: Partial<ToolSelection>,
  options: SessionToolsOptions,
): ToolDeck | undefined {
  if (noTools) return undefined;
  const { cwd, profile = "all", mcp, extras, framework, outputPlace, readable, report } = options;
  requireKnown(tools);
  const filter = selectTools(tools);
  const deck = provisionDeck(profile === "none" ? "authoring" : profile, createDeckContext(cwd, framework), {
    session: {
      ...(outputPlace && { outputPlace }),
      ...(readable && { read: [cwd, ...(outputPlace ? [outputPlace.folder] : []), ...readable] }),
    },
    ...(report && { report }),
  });
  deck.retain(({ name }) => profile !== "none" && filter.keepsCard(name));
  if (mcp) {
    deck.graft(mcp);
    deck.retain(({ descriptor }) => !descriptor.origin || filter.keepsMounted(descriptor));
  }
  if (extras) deck.graft(extras);
  return deck;
}

/** The same for the workspace of a run. The tools close with it. */
export async function openSessionTools(
  run: Pick<Run, "cwd" | "report" | "open">,
  selection: Partial<ToolSelection>,
  options: Omit<SessionToolsOptions, "cwd" | "report">,
): Promise<ToolDeck | undefined> {
  const deck = buildSessionTools(selection, { ...options, cwd: run.cwd, report: run.report });
  return deck && run.open(Promise.resolve(deck));
}

function requireKnown(words: readonly string[]): void {
  const known = new Set(capabilityIds().map(canonToolName));
  const unknown = words.find((word) => !isMountedPattern(word) && !known.has(canonToolName(word)));
  if (unknown !== undefined)
    throw new DeckFault(
      "unknown_capability",
      `--tools: there is no tool named ${JSON.stringify(unknown)}; the tools are ${capabilityIds().join(", ")}`,
    );
}
