import { describeError } from "../../core/index.ts";
import { leftOutNote } from "../content/index.ts";
import type {
  RemoteTool,
  ServerConfig,
  ToolDefinition,
  ToolReview,
  WithheldTool,
} from "../contract/index.ts";
import { isSameDefinition } from "../endpoint/index.ts";

/** The review of a fleet, for the tools of one server. */
export interface ServerReview {
  readonly by: ToolReview;
  /** Makes a tool from a definition that the review changed. */
  readonly describe: (definition: ToolDefinition) => RemoteTool | undefined;
}

/** The last known tools of a server, which survive its restarts, and whether they are on offer. */
export class LastKnownTools {
  readonly #config: ServerConfig;
  readonly #serverReview: ServerReview | undefined;
  readonly #onChange: (tools: readonly RemoteTool[]) => void;
  /** The last listing as received, with the version that its server reported. */
  #listed: readonly RemoteTool[] = [];
  #version: string | undefined;
  #areListed = false;
  #known: readonly RemoteTool[] = [];
  #withheld: readonly WithheldTool[] = [];
  #offered: readonly RemoteTool[] = [];
  /** The offered tools that `#leftOut` is about. */
  #judged: readonly RemoteTool[] = [];
  #leftOut: string | undefined;

  constructor(config: ServerConfig, onChange: (tools: readonly RemoteTool[]) => void, review?: ServerReview) {
    this.#config = config;
    this.#serverReview = review;
    this.#onChange = onChange;
  }

  get offered(): readonly RemoteTool[] {
    return this.#offered;
  }

  /** The listed tools that the review does not offer. */
  get withheld(): readonly WithheldTool[] {
    return this.#withheld;
  }

  /** One line about the offered tools that are left out of clients' lists, because official clients would refuse the list. */
  get leftOut(): string | undefined {
    if (this.#judged !== this.#offered) {
      this.#leftOut = leftOutNote(
        "tools",
        this.#offered.map(({ definition }) => definition),
      );
      this.#judged = this.#offered;
    }
    return this.#leftOut;
  }

  /** Whether the server itself has listed tools in this run. */
  get areListed(): boolean {
    return this.#areListed;
  }

  /** Offers the tools known from an earlier run. */
  offerEarlier(tools: readonly RemoteTool[]): void {
    this.#take(tools);
  }

  /** Offers the listed tools; without a listing the last known ones. `version`: what the server reports. */
  offer(listed?: readonly RemoteTool[], version?: string): void {
    if (!listed) return this.#set(this.#known);
    this.#areListed = true;
    this.#version = version;
    this.#take(listed);
  }

  /** Reviews the last listing again. Hidden tools stay hidden. */
  reviewAgain(): void {
    const isOffered = this.#offered === this.#known;
    this.#review();
    if (isOffered) this.#set(this.#known);
  }

  #take(listed: readonly RemoteTool[]): void {
    this.#listed = selectTools(this.#config, listed);
    this.#review();
    this.#set(this.#known);
  }

  #review(): void {
    const facts = { config: this.#config, isLive: this.#areListed, version: this.#version };
    const reviewed = this.#serverReview && reviewTools(this.#serverReview, this.#listed, facts);
    this.#known = mergeListing(this.#known, reviewed?.tools ?? this.#listed);
    this.#withheld = reviewed?.withheld ?? [];
  }

  /** Withdraws all tools until the next `offer`. */
  hide(): void {
    this.#set([]);
  }

  #set(tools: readonly RemoteTool[]): void {
    const before = this.#offered;
    this.#offered = tools;
    if (before !== tools && before.length + tools.length > 0) this.#onChange(tools);
  }
}

/** Applies `includeTools` and `excludeTools`, which hold the server's own names. */
function selectTools(
  { includeTools, excludeTools }: ServerConfig,
  tools: readonly RemoteTool[],
): readonly RemoteTool[] {
  if (!includeTools && !excludeTools) return tools;
  return tools.filter(
    ({ ref }) => !excludeTools?.includes(ref.name) && (!includeTools || includeTools.includes(ref.name)),
  );
}

/**
 * The newer listing, in which every unchanged tool is the old object: descriptors held elsewhere stay valid. If nothing
 * changed, the older listing itself.
 */
function mergeListing(before: readonly RemoteTool[], after: readonly RemoteTool[]): readonly RemoteTool[] {
  const known = new Map(before.map((tool) => [tool.ref.name, tool]));
  const merged = after.map((tool) => {
    const old = known.get(tool.ref.name);
    return old && isSameDefinition(old.definition, tool.definition) ? old : tool;
  });
  const isUnchanged = merged.length === before.length && merged.every((tool, at) => tool === before[at]);
  return isUnchanged ? before : merged;
}

/** A listing after its review. */
interface Reviewed {
  readonly tools: readonly RemoteTool[];
  readonly withheld: readonly WithheldTool[];
}

/** What a review knows about a listing besides its tools. */
interface ListingFacts {
  readonly config: ServerConfig;
  readonly isLive: boolean;
  readonly version?: string | undefined;
}

/** Applies the review to a listing. If the review fails, none of the tools is offered. */
function reviewTools(
  { by, describe }: ServerReview,
  tools: readonly RemoteTool[],
  { config, isLive, version }: ListingFacts,
): Reviewed {
  const listed = new Map(tools.map((tool) => [tool.definition, tool]));
  try {
    const { offered, withheld } = by.review({
      config,
      tools: [...listed.keys()],
      isLive,
      ...(version === undefined ? {} : { version }),
    });
    return {
      tools: offered.flatMap((definition) => listed.get(definition) ?? describe(definition) ?? []),
      withheld: tools.flatMap((tool) => {
        const message = withheld.get(tool.ref.name);
        return message === undefined ? [] : [{ tool, message }];
      }),
    };
  } catch (thrown) {
    const message = `the tools of server "${config.id}" could not be reviewed: ${describeError(thrown)}`;
    return { tools: [], withheld: tools.map((tool) => ({ tool, message })) };
  }
}
