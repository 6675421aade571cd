import type { RemoteTool, ServerConfig } from "../contract/index.ts";

/** The tools a configuration wants to see of a server, by the server's own names. */
export function chosenTools(
  { includeTools, excludeTools }: Pick<ServerConfig, "includeTools" | "excludeTools">,
  tools: readonly RemoteTool[],
): readonly RemoteTool[] {
  if (!includeTools && !excludeTools) return tools;
  return tools.filter(
    ({ ref }) => !excludeTools?.includes(ref.name) && (!includeTools || includeTools.includes(ref.name)),
  );
}
