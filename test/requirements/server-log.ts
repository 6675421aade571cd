/** The log of each server, and the commands that show what servers do. */
export const serverLog = {
  "wire:log-lines": "Standard error of a server is split into lines of limited length, however it arrives",
  "wire:log-events":
    "Messages of a connection are described for a log in brief, without arguments, results and secrets, and never more than a limited number a second",
  "server-log:bounded":
    "The log of a server is two private files of limited size; logs of servers that are not used any more are removed",
  "server-log:read": "The entries of servers are read in the order of time, and a reader can follow them",
} as const;
