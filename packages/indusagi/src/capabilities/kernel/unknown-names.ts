import { CoreError } from "../../core/index.ts";

/** A tool was asked for by a name that is not registered. */
export class UnknownToolError extends CoreError<"unknown_tool"> {
  constructor(name: string, known: readonly string[]) {
    super(
      "unknown_tool",
      `there is no tool named ${JSON.stringify(name)}; known: ${known.join(", ") || "none"}`,
    );
  }
}

/** A collection was asked for by a name that is not registered. */
export class UnknownCollectionError extends CoreError<"unknown_collection"> {
  constructor(name: string, known: readonly string[]) {
    super(
      "unknown_collection",
      `there is no collection named ${JSON.stringify(name)}; known: ${known.join(", ") || "none"}`,
    );
  }
}
