/** What commands list and advise: complete, once, and under the names that users type. */
export const listings = {
  "listing:cards":
    "`indus tools` shows all 19 cards and marks those that a session offers; `--tools` with the name of any card shows that card",
  "listing:unknown-tools": "an unknown name after `--tools` is one line with all known names",
  "listing:arguments": "`mcp tools SERVER` shows the descriptions of parameters, escaped and wrapped",
  "listing:renamed": "a renamed tool is shown under its new name",
} as const;
