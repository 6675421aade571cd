import { CoreError } from "../../core/index.ts";

/** No tool of this name is registered. */
export class UnknownToolError extends CoreError<"unknown_tool"> {
  constructor(name: string, known: readonly string[]) {
    super(
      "unknown_tool",
      `there is no tool named ${JSON.stringify(name)}; known: ${known.join(", ") || "none"}`,
    );
  }
}

/** No collection of this name is registered. */
export class UnknownCollectionError extends CoreError<"unknown_collection"> {
  constructor(name: string, known: readonly string[]) {
    super(
      "unknown_collection",
      `there is no collection named ${JSON.stringify(name)}; known: ${known.join(", ") || "none"}`,
    );
  }
}
