/** The extensions of the protocol that we know, by their ids in `capabilities.extensions`. */
export const Extension = {
  UI: "io.modelcontextprotocol/ui",
  TASKS: "io.modelcontextprotocol/tasks",
  SKILLS: "io.modelcontextprotocol/skills",
} as const;
