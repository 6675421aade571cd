export const shell = {
  "tree:exit":
    "the exit of a process is reported with code and signal, even while a grandchild holds its pipes",
  "tree:processor-use": "on Linux it is known whether a process or its descendants use the processor",
  "tree:output":
    "output is read to the end and delivered in full; a listener that returns a promise slows the process down",
  "tree:input":
    "input is queued in order without listener warnings, and a process that stops reading is never an uncaught error",
  "tree:environment":
    "a process gets exactly the given environment, and the cookies of its tree and of outer trees",
  "tree:spawn-error":
    "a process that cannot start is a SpawnError with the system's code and leaves nothing open",
  "tree:windows-arguments":
    "on Windows a batch file receives arguments exactly, and none of them can start another command",
  "tree:windows-program":
    "on Windows a program is found by PATH and PATHEXT, and never in the working directory by its bare name",
  "tree:windows-run":
    "`npm run test:windows` runs real programs with the Windows build of Node and names each failure as ours or the platform's",
  "tree:many":
    "Trees that end at once share readings of the process table and let other work run in between; each still needs two empty readings",
  "tree:turns":
    "of many trees that end at once only some are told at a time, and one that does not end soon does not delay the others",
  "tree:end": "ending a tree leaves none of its processes, whatever its shape",
  "tree:ladder": "a tree is ended step by step: end of input, then SIGTERM, then SIGKILL",
  "tree:leftovers": "descendants that a process leaves when it exits by itself are ended too",
  "tree:memory": "a descendant seen alive is still ended after it has left group, parents and environment",
  "tree:release":
    "a program leaves its tree only in a new session, without the cookie, and without a parent before it is scanned",
  "tree:identity": "a pid that has been reused is never signalled",
  "tree:kill-owner": "kill -9 of the owner leaves no process of its trees and no watchdog",
  "tree:owner-exit": "an owner that exits ends its trees, and the watchdog does not keep it alive",
  "tree:will":
    "what an owner leaves to be done runs once when it and its trees have ended, however it ended, unless it was taken back",
  "tree:watchdog-dies": "a watchdog that is killed is replaced and the new one knows the trees",
  "tree:watchdog-waits": "a watchdog that waits is small, and ends with its owner only",
  "tree:level": "the active level of protection is reported",
  "tree:tables": "/proc and ps give the same process table",
  "env:read-command":
    "a command is read within limits of time and bytes, its whole tree is ended, and its output is in no message",
  "env:login-path":
    "after a desktop start PATH is completed from the login shell, within a time limit; any other start keeps its own",
  "env:allow-list": "a child's environment is an allow-list plus the names asked for; secrets never pass",
  "shell:result": "a command returns its output, its exit code and its signal",
  "shell:stdin": "standard input is empty unless input is given",
  "shell:environment":
    "commands run without start-up files, pagers and prompts, in an environment without secrets",
  "shell:background":
    "a command returns even while a background child holds its pipes, and that child is ended",
  "shell:timeout": "a command that runs too long is ended with its whole tree",
  "shell:abort": "an abort ends the whole tree and rejects with the signal's reason",
  "shell:bounded":
    "of endless output the beginning and the end are kept in bounded memory; it is counted, and spilled to a file on request",
  "shell:utf8": "text is never cut inside a character, in results and in progress",
  "shell:wrap":
    "a command line can be started through another program, which is told when no process of it is left",
  "shell:cwd": "a missing working directory is named in the error",
  "shell:spawn-output":
    "a listener gets the output of a background command by stream, before its exit is reported",
  "shell:spawn":
    "a started command appends its output to a file, reports its exit also to late listeners and ends as a tree",
  "bash:sections": "bash returns stdout, stderr and status; a failed or signalled command is an error result",
  "bash:limits": "bash runs 120 s by default and 600 s at most, and reports a timeout",
  "bash:budget": "bash keeps to the budget and names the file with the whole output",
  "bash:place":
    "where a session has a place for long output, bash keeps the whole there, tools can read it and write nothing, and it stays",
  "bash:progress":
    "bash reports progress while the command runs, each note greater than the last, all before the result",
  "bash:cwd": "bash runs in the session's folder or one relative to it",
  "bash:plain": "bash returns text without escape sequences and control characters",
  "bash:errors": "bash names a command that could not be started",
  "secrets:canary":
    "a secret in the parent's environment appears in no output, file or error of bash and process",
  "process:start": "process starts jobs job-1, job-2 … and reports one that fails at once",
  "process:poll": "process polls only new output, at most 32 KiB, and reports what was skipped",
  "process:list": "process lists jobs with their status",
  "process:stop": "process stops a job with its whole tree; stopping an ended job is not an error",
  "process:fields": "process names missing fields and unknown ids",
  "process:cap": "process refuses more than 50 running jobs",
  "process:session": "jobs belong to their session and end with it; their log files are removed",
  "process:captures": "captured output is in .indus-process with a .gitignore that covers it",
} as const;
