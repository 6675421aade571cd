export const search = {
  "display:no-unseen":
    "escapeForDisplay leaves no control, bidi, zero-width or tag character and no half pair in a text",
  "grep:output": "grep answers path:line: text, relative to the working folder, sorted by path and line",
  "grep:flags": "grep takes the flags i, F and w and refuses any other by name",
  "grep:cap": "grep shows 200 hits unless told otherwise, never more than 5000, and says what it left out",
  "grep:budget": "grep cuts its answer to the budget at a line end and says so",
  "grep:bad-pattern": "a pattern that cannot be understood is an error that names it, never an empty answer",
  "grep:only-one-dialect": "a pattern that ripgrep refuses and JavaScript takes is searched for all the same",
  "grep:timeout": "a search past its deadline is an error, and the process is not held up meanwhile",
  "grep:abort": "an abort ends the search at once and leaves no process or thread behind",
  "grep:leaves-out":
    "grep leaves out .git, node_modules, ignored and binary files, and says how many were too large",
  "grep:rules-above":
    "what the working folder's .gitignore excludes stays excluded when a part of it is searched",
  "grep:long-line": "grep shows at most 500 characters of a line and splits none",
  "grep:strange-names":
    "names and lines with control characters or invalid UTF-8 are written out, never emitted",
  "grep:confined": "grep and find refuse a path outside the folders that may be read",
  "grep:foreign-fs": "a file system that is not this machine's is searched through its own methods only",
  "grep:same-results": "ripgrep and the fallback give the same answer, byte for byte",
  "grep:no-ripgrep": "without a usable ripgrep the fallback answers",
  "grep:hostile-tree": "grep gets through pipes, link loops, huge lines and unreadable folders",
  "find:query": "find takes a part of a name, or a glob for the whole name or path, whatever the case",
  "find:type": "find tells files from folders and lists links as neither",
  "find:cap": "find shows the first 500 names in order and says how many more there are",
  "find:leaves-out": "find follows the same ignore rules as grep and follows no links",
  "find:huge-tree": "find walks a huge tree while the process stays responsive",
} as const;
