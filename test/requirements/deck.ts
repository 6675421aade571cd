/** The deck: built-in tools, catalog, profiles, provisioning. */
export const deck = {
  "deck:builtin-table":
    "one table has the twelve native tools with title, profiles and factory; the other views are derived from it",
  "deck:builtin-parity": "the built-in tools have exactly the names of the kernel's native tools",
  "deck:builtin-card": "a native tool answers through its card as it does alone",
} as const;
