export const trust = {
  "trust:bound":
    "an approval is bound to the server's name and the launch as written: one changed byte of it makes the row pending again",
  "trust:members":
    "an approval covers every member of a row but the harmless ones, and the names that its envFile sets: a change makes the row pending again and names what changed, also in a running gateway; rows with one approval do the same; approvals of before stay valid for rows without such members",
  "trust:own-edit":
    "a command with which the user changes an approved row of a project keeps it approved, and no other row",
  "trust:store":
    "approve, refuse and forget are kept in the state folder, readable by the owner only, as hashes and without values",
  "trust:damage":
    "a decision that is damaged, misplaced or open to other users approves nothing and is reported",
  "trust:writers": "decisions of several processes at the same time are all kept",
  "trust:discover":
    "every server has its origin and its trust, and a row that may not start hides no other row",
  "trust:approved-launches":
    "a machine without a user gets its approvals as launch hashes in INDUS_APPROVED_LAUNCHES",
  "trust:starts-nothing": "a row of a project starts nothing before it is approved, and does after",
  "trust:load":
    "a file or the four places of a folder are read, the project's first and pending until approved",
  "trust:bridge-config":
    "a list of servers becomes a bridge configuration, in which a pending row hides no other",
  "trust:bad-input":
    "whatever is in the place of a configuration file, the rest is read and one line explains it",
} as const;
