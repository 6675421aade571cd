export const facadeClient = {
  "mcp:pins": "the facade exports the 65 names of the sister edition, 35 values and 30 types, and AgentTool",
  "mcp-client:connect":
    "connecting is idempotent and shared, and a client disconnected and connected again lists again",
  "mcp-client:tools":
    "tools are listed as their server defines them and called with structured content, meta and every block",
  "mcp-client:deadline":
    "a call has the client's timeout or its own, longer or shorter, and progress starts it anew",
  "mcp-client:abort": "an abort ends a call at once with the signal's reason, and the connection stays",
  "mcp-client:progress":
    "progress reaches the call's listener, the client's handler and, if wanted, the logger",
  "mcp-client:questions":
    "elicitation, sampling and roots are answered by the handlers in both eras, and only what is set is declared",
  "mcp-client:notices":
    "log messages, resource updates and changed lists reach their handlers, and a handler that throws hurts nobody",
  "mcp-client:resources":
    "resources, templates, prompts and completion are listed, read and asked for, in both eras",
  "mcp-client:errors":
    "a call before connect, an unknown tool, a missing capability and a server that dies give their code, names and way out",
  "mcp-client:options": "cwd, env, headers, fetch, an auth provider and a tool filter are honoured",
  "mcp-client:transports": "the public server works over stdio, Streamable HTTP and SSE",
  "mcp-pool:isolation":
    "a dead server leaves the others working, stays in the status with its reason, and nothing rejects",
  "mcp-pool:supervision":
    "a server of a pool that fails is restarted by the fleet beneath it; disconnecting by hand is final until connect",
  "mcp-pool:races":
    "a connect, disconnect, replacement or reload of a pooled server while another is under way settles, and leaves one connection or none",
  "mcp-pool:membership": "servers come, go and are reloaded without a disturbance to the others",
  "mcp-pool:box": "the pool's tools are one box that follows it, and adapters take the pool",
  "mcp-server:tools": "tools come and go while it serves, and clients are told",
  "mcp-server:results":
    "images, structured results, failures and progress pass, and an abort reaches the tool",
  "mcp-server:arguments":
    "arguments that do not fit a tool's schema are an error result that names what is wrong, and the tool is not run",
  "mcp-server:stop": "startStdio lasts as long as its session, and stop ends stdio and HTTP for good",
  "mcp-factory:mint":
    "a minted tool has its name, label, category and parameters, and executes within the budget with the whole result kept",
  "mcp-factory:failures": "a minted tool resolves with an error result for every failure and for an abort",
  "mcp-factory:registry": "tools are registered in whatever has a register method, and mapped by name",
  "mcp-config:load": "a file alone or the four places of a folder are read, and what is not used is reported",
  "mcp-config:save": "saving makes the folder, drops what is undefined and reads back the same",
  "mcp-initialize:trust": "a project's servers are not started without trust, and it says so",
  "mcp-initialize:register":
    "the servers of a configuration are connected and their tools registered in one step",
  "docs:guide": "the code of the guide is the code of the examples",
} as const;
