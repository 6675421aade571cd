import { closestNames } from "indusagi/core";

/** `did you mean a or b?` for an unknown name, or `otherwise` when no known name is similar. */
export async function suggestion(name: string, known: readonly string[], otherwise: string): Promise<string> {
  const near = await closestNames(name, known);
  return near.length > 0 ? `did you mean ${near.join(" or ")}?` : otherwise;
}

/** The message for an unknown tool. `lister`: the command that lists the tools. */
export async function unknownToolMessage(
  name: string,
  known: readonly string[],
  lister: string,
): Promise<string> {
  const hint = await suggestion(name, known, `${lister} lists the tools`);
  return `there is no tool named ${JSON.stringify(name)}; ${hint}`;
}
