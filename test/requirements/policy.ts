/** Permissions: which calls run, ask, or are refused. */
export const policy = {
  "policy:order":
    "a call is decided by the first of deny, plan mode, protected paths, roots, ask, bypass, read-only, acceptEdits, allow, sandbox, mode",
  "policy:laws":
    "a deny rule always wins, an allow rule never makes a denied call run, every call gets a decision, and the order of rules has no effect",
  "policy:rules": "a rule names a tool, calls of a tool by a pattern, or the tools of a server",
  "policy:readings":
    "a deny or ask rule matches the real server and tool by any division of its name at __; an allow rule, a token, a profile and --tools only where exactly one division names an approved server, and otherwise they allow nothing",
  "policy:real-tool":
    "a name that a row gives to a tool makes no permission for another tool apply to it, and shortened names with a hash mean the real pair",
  "policy:unmatched":
    "a rule, a word of a token, a profile or --tools that matches nothing known, could mean two servers or cannot be a pattern is reported once, with the nearest names, as soon as its servers have been listed",
  "policy:rule-errors": "a rule that cannot be parsed is refused with one line that names it",
  "policy:command-patterns":
    "a pattern allows a command line only if it matches every command in it, and denies it if it matches one",
  "policy:modes": "the mode decides what happens to calls that no rule is about",
  "policy:protected":
    "changing our configuration and state, a repository's own files or a shell's start-up files asks in every mode, also before the file exists and through links",
  "policy:roots": "a call with a path outside the session's folders asks, also through a link",
  "policy:plan": "in plan mode only calls that change nothing run, and exit_plan_mode always does",
  "policy:unapproved": "the annotations of a server's tools count only if the server is approved",
  "policy:readers":
    "in plan mode a command runs only if every word of it is known to only read; commands that write in disguise are refused",
  "policy:plan-readers": "in plan mode the commands that models use to look around run without a question",
  "policy:plan-disguises":
    "in plan mode a line runs only if every word of it, in every folder that it can run in, is proven to only read",
  "policy:plan-git": "in plan mode no configuration of a repository makes git run a program",
  "policy:plan-path": "in plan mode no program of the project is found by its name",
  "policy:shell-words": "a command line is split into the words that the shell sees, or refused",
  "policy:hidden":
    "a denied tool is not listed, and a change of the policy is reported like a change of the tools",
  "policy:refusal": "a refused call is a fault with the reason policy, and names what refused it",
  "policy:approval":
    "a call that asks waits for the approver, who gets the call, its effect and the rule and may add a rule, for all or for one of several users; an abort ends the wait",
  "policy:unchanged": "the outcome of a call that runs is the object of the inner box",
} as const;
