/** Declared extensions: id (`prefix/name`) → settings; `{}` if it has none. */
export interface Extensions {
  readonly [id: string]: { readonly [setting: string]: unknown };
}

/** The ids of the extensions we know. */
export const Extension = {
  UI: "io.modelcontextprotocol/ui",
  TASKS: "io.modelcontextprotocol/tasks",
  SKILLS: "io.modelcontextprotocol/skills",
} as const;
