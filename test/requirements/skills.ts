/** Skills (SEP-2640): published, relayed, verified and used. */
export const skills = {
  "skills:folder":
    "a folder of skills is offered to clients of both eras: listed, read and walked by the official client, with digests over the raw bytes",
  "skills:confined":
    "a folder of skills gives out nothing that is hidden, outside of it or too large; a broken skill is a note and does not affect the others",
  "skills:verified":
    "a file of a server's skill is used only if its size, its digest and the frontmatter of SKILL.md are what the list promised",
  "skills:relay":
    "a gateway offers the skills of all servers that a client may see, with entries and files unchanged, and answers for folders even if a server cannot",
  "skills:clashes":
    "skills of several servers with the same URI are named with their server, in the entry, its files and when they are read",
  "skills:partial":
    "a server that fails, hangs or sends a malformed skill does not affect the skills of the others",
  "serve:skills":
    "`indus serve --skills FOLDER` publishes a folder next to the skills of the servers; a folder that is not there is refused",
  "session:skills":
    "a session lists the skills of the project, of the user and of its servers in its briefing, with where each comes from, and the agent reads them on demand",
} as const;
