/** Declared extensions: id (`prefix/name`) → settings; `{}` if it has none. */
export interface Extensions {
  readonly [id: string]: { readonly [setting: string]: unknown };
}

/**
 * The relayed extensions that a client declared, in a fixed order; empty if there are none. Clients with the same key get the same
 * lists. See `extensionKey`.
 */
export type ExtensionKey = string;

/** The ids of the extensions we know. */
export const Extension = {
  UI: "io.modelcontextprotocol/ui",
  TASKS: "io.modelcontextprotocol/tasks",
  SKILLS: "io.modelcontextprotocol/skills",
} as const;
