export const HELP = `indus: native tools and MCP servers behind one deck

  indus tools [--json]            list the native tools
  indus call TOOL [name=value …]  run one of them in this folder
  indus --version
  indus --help

Exit codes: 0 done, 1 failed, 2 wrong usage.
`;
