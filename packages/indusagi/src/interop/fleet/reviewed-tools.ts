import { describeError } from "../../core/index.ts";
import type {
  RemoteTool,
  ServerConfig,
  ToolDefinition,
  ToolReview,
  WithheldTool,
} from "../contract/index.ts";

/** A listing after its review. */
export interface Reviewed {
  readonly tools: readonly RemoteTool[];
  readonly withheld: readonly WithheldTool[];
}

/** What a review knows of a listing beside its tools. */
export interface ListingFacts {
  readonly config: ServerConfig;
  readonly isLive: boolean;
  readonly version?: string | undefined;
}

/** The review of a fleet, for the tools of one server. */
export interface ServerReview {
  readonly by: ToolReview;
  /** Makes a tool of a definition that the review changed. */
  readonly describe: (definition: ToolDefinition) => RemoteTool | undefined;
}

/** Applies the review to a listing. If the review fails, nothing of the listing is offered. */
export function reviewTools(
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
