export const secrets = {
  "secrets:meaning":
    "redaction does not change what a message says: states such as NOT SET, placeholders, paths and names of packages stay",
  "secrets:packages":
    "redaction never hides the name of a package: in URLs of any registry, with a version or a tag, or if another value of the row is part of it",
  "secrets:which":
    "the values of env, headers, URL and secret options count as secrets; short and common values do not",
  "secrets:forms":
    "a secret is removed as it is, encoded, in several lines, split over chunks, and at the edge of a cut text",
  "secrets:errors": "an error without secrets is the same object; a copy keeps class, codes and causes",
  "secrets:status": "status, notes and standard error of a server show none of its secrets",
  "secrets:faults":
    "faults with their causes and log messages show no secret of the server's row; results of tools are unchanged",
  "secrets:command": "mcp list, its JSON and the log of serve show no secret of a configuration file",
} as const;
