import { describeError } from "../../core/index.ts";
import { leftOutNote } from "../content/index.ts";
import type {
  ExtensionKey,
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

/** Called with the tools on offer; `extensions`: if they are for clients with these only. */
type OnOffered = (tools: readonly RemoteTool[], extensions?: ExtensionKey) => void;

/**
 * The last known tools of a server, which survive its restarts, and whether they are on offer. Clients with extensions get a list of
 * their own if the server made one for them.
 */
export class LastKnownTools {
  readonly #config: ServerConfig;
  readonly #serverReview: ServerReview | undefined;
  readonly #onChange: OnOffered;
  /** The tools for all other clients, if these are for some. */
  readonly #plain: LastKnownTools | undefined;
  readonly #classes = new Map<ExtensionKey, LastKnownTools>();
  /** The last listing as received, with the version that its server reported. */
  #listed: readonly RemoteTool[] = [];
  #version: string | undefined;
  /** What was declared for it. */
  #extensions: ExtensionKey | undefined;
  #areListed = false;
  /** Whether there was a listing, in this run or an earlier one. */
  #isKnown = false;
  #known: readonly RemoteTool[] = [];
  #withheld: readonly WithheldTool[] = [];
  #offered: readonly RemoteTool[] = [];
  /** The offered tools that `#leftOut` is about. */
  #judged: readonly RemoteTool[] = [];
  #leftOut: string | undefined;

  constructor(config: ServerConfig, onChange: OnOffered, review?: ServerReview, plain?: LastKnownTools) {
    this.#config = config;
    this.#serverReview = review;
    this.#onChange = onChange;
    this.#plain = plain;
  }

  /** The list for clients with these extensions, which is made if there is none. */
  forClass(extensions: ExtensionKey): LastKnownTools {
    const onChange: OnOffered = (tools) => this.#onChange(tools, extensions);
    const known =
      this.#classes.get(extensions) ?? new LastKnownTools(this.#config, onChange, this.#serverReview, this);
    this.#classes.set(extensions, known);
    return known;
  }

  /** The extensions with a list of their own. */
  get classes(): readonly ExtensionKey[] {
    return [...this.#classes.keys()];
  }

  /**
   * The tools on offer to clients with these extensions: another array than for all others if the server made a list for them. Even
   * if both hold the same tools: when these change, one list is read before the other, and clients must hear of their own only.
   */
  offeredTo(extensions: ExtensionKey): readonly RemoteTool[] {
    const own = this.#classes.get(extensions);
    return own && own.#isKnown ? own.#offered : this.#offered;
  }

  withheldFrom(extensions: ExtensionKey): readonly WithheldTool[] {
    const own = this.#classes.get(extensions);
    return own && own.#isKnown ? own.#withheld : this.#withheld;
  }

  /** What is withheld from any client. */
  get allWithheld(): readonly WithheldTool[] {
    if (this.#classes.size === 0) return this.#withheld;
    const names = new Map<string, WithheldTool>();
    for (const { withheld } of [this, ...this.#classes.values()])
      for (const each of withheld) if (!names.has(each.tool.ref.name)) names.set(each.tool.ref.name, each);
    return [...names.values()];
  }

  /** The server makes no list for these clients any more: they get the one for all others. */
  forget(): void {
    if (!this.#isKnown) return;
    this.#isKnown = false;
    this.#areListed = false;
    this.#listed = this.#known = this.#withheld = [];
    this.#set([]);
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

  /** Offers the tools known from an earlier run. `extensions`: what was declared for them. */
  offerEarlier(tools: readonly RemoteTool[], extensions?: ExtensionKey): void {
    this.#extensions = extensions;
    this.#take(tools);
  }

  /** Offers the listed tools; without a listing the last known ones. `version`: what the server reports. */
  offer(listed?: readonly RemoteTool[], version?: string, extensions?: ExtensionKey): void {
    for (const own of this.#classes.values()) own.#set(own.#known);
    if (!listed) return this.#set(this.#known);
    this.#areListed = true;
    this.#version = version;
    this.#extensions = extensions;
    this.#take(listed);
  }

  /** Reviews the last listing again. Hidden tools stay hidden. */
  reviewAgain(): void {
    const isOffered = this.#offered === this.#known;
    this.#review();
    if (isOffered) this.#set(this.#known);
    for (const own of this.#classes.values()) if (own.#isKnown) own.reviewAgain();
  }

  #take(listed: readonly RemoteTool[]): void {
    this.#isKnown = true;
    this.#listed = selectTools(this.#config, listed);
    this.#review();
    this.#set(this.#known);
  }

  #review(): void {
    const plain = this.#plain;
    const facts = {
      config: this.#config,
      isLive: this.#areListed,
      version: this.#version,
      extensions: this.#extensions,
    };
    const reviewed = this.#serverReview && reviewTools(this.#serverReview, this.#listed, facts);
    const tools = reviewed?.tools ?? this.#listed;
    // Most tools are the same for all clients: they are kept once.
    this.#known = mergeListing(this.#known, plain ? sameObjects(plain.#known, tools) : tools);
    this.#withheld = reviewed?.withheld ?? [];
  }

  /** Withdraws all tools until the next `offer`. */
  hide(): void {
    for (const own of this.#classes.values()) own.hide();
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
  const merged = sameObjects(before, after);
  return isSameList(merged, before) ? before : merged;
}

/** The tools, each as the known object if its definition is the same. */
function sameObjects(known: readonly RemoteTool[], tools: readonly RemoteTool[]): readonly RemoteTool[] {
  if (known.length === 0) return tools;
  const byName = new Map(known.map((tool) => [tool.ref.name, tool]));
  return tools.map((tool) => {
    const old = byName.get(tool.ref.name);
    return old && isSameDefinition(old.definition, tool.definition) ? old : tool;
  });
}

function isSameList(a: readonly RemoteTool[], b: readonly RemoteTool[]): boolean {
  return a.length === b.length && a.every((tool, at) => tool === b[at]);
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
  readonly extensions?: ExtensionKey | undefined;
}

/** Applies the review to a listing. If the review fails, none of the tools is offered. */
function reviewTools(
  { by, describe }: ServerReview,
  tools: readonly RemoteTool[],
  { config, isLive, version, extensions }: ListingFacts,
): Reviewed {
  const listed = new Map(tools.map((tool) => [tool.definition, tool]));
  try {
    const { offered, withheld } = by.review({
      config,
      tools: [...listed.keys()],
      isLive,
      ...(version === undefined ? {} : { version }),
      ...(extensions === undefined ? {} : { extensions }),
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
