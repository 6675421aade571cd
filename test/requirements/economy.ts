/** The economized box: a few tools listed, all tools found, described and called. */
export const economy = {
  "economy:list":
    "an economized box lists its three tools, the pinned tools, those used last and those of small servers, within the limit of tokens",
  "economy:above":
    "below the given limits an economized box lists all tools as they are, and follows changes across the limits",
  "economy:search": "tool_search returns names, purposes and signatures of the tools that match best",
  "economy:describe": "tool_describe returns whole definitions, and for an unknown name the similar ones",
  "economy:call": "tool_call returns the very outcome of the tool; wrong arguments get one line",
  "economy:differential":
    "a call through tool_call equals the direct one: results, errors, progress, logs, questions, suspension, cancellation, meta, a death of the server",
  "economy:gate":
    "the policy decides about the tool that is called, and a hidden tool is neither found nor described nor called",
  "economy:two-steps":
    "a scripted model finds and calls one of 1,000 tools in two steps, with at most 1,500 tokens listed",
  "economy:descriptions":
    "a description over 2,048 characters is listed shortened after a sentence, and described whole",
  "economy:find":
    "tools are found by words inside names, titles, descriptions, parameters and servers, by beginnings and with typing mistakes",
  "economy:synonyms": "synonyms are learned from the catalogue",
  "economy:lexicon":
    "a lexicon of everyday English, under 40 KB, finds tools by phrases, and by the shape of a word such as a file's name",
  "economy:names":
    "an exact name comes first: the wire name, or the server and the words of the tool's name, in any order",
  "economy:order": "what is found, and in which order, does not depend on the order of the tools",
  "economy:incremental": "an index that followed any changes finds the same as a new one",
  "economy:tasks":
    "the sentences of the measurement are data: at least 200, two other languages, a tenth kept apart by a fixed rule, and 100 of another author that nothing is tuned on",
  "economy:page": "docs/context.md shows tokens in each mode and recall on each set, with its misses",
  "economy:clients":
    "with --tools auto a client gets the search when the tools exceed its known limit, or a tenth of a context of 200,000 tokens",
  "economy:serve":
    "indus serve --tools all|search|auto says how tools are listed, for each client behind the same policy",
  "economy:cost": "serve and doctor say what the tools cost in tokens, and what listing them otherwise saves",
  "code:list":
    "in code mode the model sees a search that answers with declarations, run_code, and pinned tools",
  "code:answers":
    "a function of a program resolves with the structured content, else with the text, else with the blocks; a failure throws",
  "code:typescript": "a program may be TypeScript; an error names line and column of the model's own code",
  "code:log":
    "the value and the console output of a program come back within a budget; the rest can be read later",
  "code:errors": "an error of a program lists the calls that ran before it",
  "code:caller": "a question of a call suspends the program, which goes on with the answer",
  "code:cancel": "cancelling run_code ends the program and its running calls",
  "code:names": "names of servers and tools become identifiers, no two the same",
  "code:declarations": "tools are declared as TypeScript that compiles, within a budget",
  "code:escapes": "no program reads, writes or connects outside of its calls, or stops the gateway's loop",
  "code:limits": "a program is ended at its limits of time, memory, calls and output",
  "code:processes":
    "no process of a program outlives its gateway; a killed one is an error of its program only",
  "code:confined":
    "where bubblewrap has started a program, none is started without it; where it failed, it is tried again after a while",
  "code:fair": "twenty programs run at the same time, and one that loops does not stop the others",
  "code:gateway":
    "--tools code for serve, a token and a profile: each inner call passes policy, pins, token limits and audit",
  "code:eras":
    "a question suspends a running program of a client of either era; a client that never returns ends it",
  "code:session": "--tools code for a session",
  "code:measured":
    "docs/context.md compares twelve workflows on real servers as single calls and as programs, in all three modes",
} as const;
