export const settings = {
  "settings:narrow":
    "A project's `settings.json` can only take away: deny rules, plan mode and fewer tools; anything else in it is not used and is named",
  "settings:precedence":
    "Flags win over settings, a continued session over the environment, the environment over the user's file, and that over the defaults; rules add up",
  "settings:diagnostics":
    "A wrong member of a `settings.json` is one line with file, line and the nearest name; what could narrow a session and cannot be read refuses it",
  "settings:session":
    "Sessions take the model, mode and rules of the user's `settings.json` and what the project's takes away",
  "settings:serve": "`indus serve` uses no `settings.json`",
  "settings:command":
    "`indus config` shows each setting with its origin, and changes the user's file without losing comments",
  "settings:unset": "`indus config unset` removes one setting from the user's file, and nothing else",
  "settings:connect": "`indus connect` writes the profile of the user's `settings.json`",
} as const;
