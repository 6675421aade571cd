export const search = {
  "display:no-unseen":
    "escapeForDisplay leaves no control, bidi, zero-width or tag character and no lone surrogate",
  "grep:output": "grep returns path:line: text, relative to the working folder, sorted by path and line",
  "grep:flags": "grep accepts the flags i, F and w and refuses any other by name",
  "grep:cap": "grep shows 200 hits by default, never more than 5000, and notes how many it left out",
  "grep:budget": "grep cuts its result to the budget at a line end and notes it",
  "grep:bad-pattern": "an invalid pattern is an error that names it, never an empty result",
  "grep:only-one-dialect":
    "a pattern that ripgrep refuses and JavaScript accepts is searched by the fallback",
  "grep:timeout": "a search past its deadline is an error and never blocks the process",
  "grep:hostile-pattern":
    "a pattern that backtracks without end is matched in linear time, or fails after 2 s of processor time",
  "grep:abort": "an abort ends the search at once and leaves no process or thread",
  "grep:leaves-out":
    "grep skips .git, node_modules, ignored and binary files, and reports how many files were too large",
  "grep:rules-above":
    "the working folder's .gitignore also applies when only a part of the folder is searched",
  "grep:long-line": "grep shows at most 500 characters of a line and splits none",
  "grep:strange-names": "control characters and invalid UTF-8 in names and lines are escaped",
  "grep:confined": "grep and find refuse a path outside the folders that may be read",
  "grep:foreign-fs": "a file system that is not local is searched through its own methods only",
  "grep:same-results": "ripgrep and the fallback give the same result, byte for byte",
  "grep:no-ripgrep": "without a usable ripgrep the fallback is used",
  "grep:hostile-tree": "pipes, link loops, huge lines and unreadable folders do not stop grep",
  "find:query": "find accepts a part of a name, or a glob for the whole name or path, and ignores case",
  "find:hostile-pattern": "a glob that backtracks without end is matched in linear time",
  "find:type": "find distinguishes files and folders; a link is neither",
  "find:cap": "find shows the first 500 names in order and the number of the rest",
  "find:leaves-out": "find uses the same ignore rules as grep and follows no links",
  "find:huge-tree": "find walks a huge tree while the process stays responsive",
} as const;
