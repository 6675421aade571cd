export const clients = {
  "clients:places":
    "every client's files have one table, for Linux, macOS and Windows, used by import and connect",
  "clients:read":
    "the files of nine clients are read in their published forms, with origin, and nothing in them is changed or started",
  "clients:variables": "variables of another client keep their meaning, and a literal text stays literal",
  "clients:bad-input":
    "whatever a client's file contains, the others are read, and the reason shows no content",
  "clients:import-plan":
    "an import names what it adds, what is there already and what it cannot use; our own gateway is never imported",
  "clients:connect":
    "a client's file gets one row that starts our gateway, every other line stays, and the row can be taken out again",
  "clients:move": "servers of a client move behind the gateway, and come back in the client's own form",
  "clients:connect-refusals":
    "a client's file that cannot be changed safely is not changed, and the reason names it",
  "clients:toml-law": "a row of a TOML file is set and removed, and all other rows and lines stay",
} as const;
