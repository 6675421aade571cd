export const HELP = `indus: native tools and MCP servers behind one deck

  indus tools [--json]            list the native tools
  indus call TOOL [name=value …]  run one of them in this folder

  indus mcp list --mcp FILE [--json]
                                  connect to the servers of a configuration file; show how they are, and their tools
  indus mcp call TOOL [name=value …] --mcp FILE [--args JSON] [--timeout SECONDS] [--json]
                                  call one of those tools; name:=json gives a value as JSON

  indus serve --stdio [--mcp FILE …] [--cwd DIR]
  indus serve --port N [--host H] [--token-env VAR] [--mcp FILE …] [--cwd DIR]
                                  be an MCP server: the native read-only tools and those of all servers, over
                                  standard input and output or at http://H:N/mcp. N may be 0, H is 127.0.0.1;
                                  beyond this machine only with a token, which is read from the variable VAR.
                                  It ends with the process that started it
  indus serve --demo [--port N | --stdio]
                                  the same with three example servers, and how to connect clients

  indus --version
  indus --help

--mcp FILE may be given several times; naming a file starts the servers in it. Results go to standard output,
everything else to standard error.
Exit codes: 0 done, 1 failed, 2 wrong usage, 129 hung up, 130 interrupted, 143 terminated.
`;
