export const facadeClient = {
  "mcp:pins": "the facade exports the 65 names of the sister edition, 35 values and 30 types, and AgentTool",
  "mcp-client:connect":
    "connecting is idempotent and shared, disconnecting ends it at once, and a client can connect again",
  "mcp-client:tools":
    "tools are listed as their server defines them and called with structured content, meta and every block",
  "mcp-client:deadline": "a call has its own timeout or that of the client, and progress restarts it",
  "mcp-client:abort": "an abort ends a call at once with the signal's reason, and the connection stays open",
  "mcp-client:progress":
    "progress reaches the call's listener, the client's handler with its progress token and, if enabled, the logger",
  "mcp-client:questions":
    "handlers answer elicitation, sampling and roots in both eras, and only handlers that are set are declared; with roots, legacy servers learn that changes are announced",
  "mcp-client:notices":
    "log messages, resource updates and changed lists reach their handlers, and a handler that throws has no effect",
  "mcp-client:resources": "resources, templates, prompts and completions work in both eras",
  "mcp-client:errors":
    "a call before connect, an unknown tool, a missing capability and a dead server give an error with code, names and remedy",
  "mcp-client:options": "cwd, env, headers, fetch, an auth provider and a tool filter take effect",
  "mcp-client:transports": "the public server works over stdio, Streamable HTTP and SSE",
  "mcp-pool:isolation":
    "a dead server does not affect the others, its status has the reason, and no method rejects",
  "mcp-pool:stderr":
    "without a logger each failing server and each row that waits for approval is one line on standard error; a logger gets it instead",
  "mcp-pool:untrusted": "a pool lists a pending server as untrusted and never starts it",
  "mcp-pool:supervision":
    "a server of a pool that fails is restarted; a disconnected server stays disconnected until connect",
  "mcp-pool:races":
    "a connect, disconnect, replacement or reload of a pooled server while another is under way settles, and leaves one connection or none",
  "mcp-pool:membership": "servers are added, removed and reloaded without an effect on the others",
  "mcp-pool:box": "the pool's tools are one box that follows its changes, and adapters accept the pool",
  "mcp-server:tools": "tools can be added and removed while it serves, and clients are notified",
  "mcp-server:results":
    "images, structured results, failures and progress reach the client, and an abort reaches the tool",
  "mcp-server:arguments":
    "arguments that do not fit a tool's schema give an error result that names the problem, and the tool is not run",
  "mcp-server:stop":
    "startStdio resolves when its session ends, and stop ends stdio and HTTP, also during a start",
  "mcp-factory:mint":
    "a minted tool has its name, label, category and parameters, cuts its text to the budget and keeps the whole result",
  "mcp-factory:failures":
    "a minted tool resolves with an error result for every failure and abort, and waits for a restart",
  "mcp-factory:registry": "tools are registered in any object with a register method, and mapped by name",
  "mcp-config:load":
    "one file or the four places of a folder are read, the project's first and pending without trust, and ignored settings are reported",
  "mcp-config:save": "saving creates the folder, drops undefined members, and loading returns the same",
  "mcp-initialize:trust": "a project's servers are not started without trust, and a notice explains that",
  "mcp-initialize:register":
    "the servers of a configuration are connected and their tools registered in one step",
  "docs:guide": "the code in the guide is the code of the examples",
  "facade:login":
    "a client takes a provider of tokens, and a store of logins is enough for a server that requires OAuth",
} as const;
