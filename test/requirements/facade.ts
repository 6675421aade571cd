export const facade = {
  "mcp:names": "the type names of the facade exist with their members, and the codes are pinned by literals",
  "mcp-error:shape":
    "an error has code, details, server, tool and cause, and is recognized across copies of the package",
  "mcp-error:factories": "each factory sets its code, names server and tool, and tells what to do",
  "mcp-error:safe-json":
    "the JSON form of an error contains no header, environment value, token, URL login or query, and no given secret",
  "mcp-error:table":
    "one table maps every fault kind, reason, JSON-RPC code, deadline and config problem to one code",
  "mcp-error:abort": "an abort is never mapped to a code; it is returned unchanged",
  "mcp-config:translate":
    "connection options become a server configuration; a wrong shape is a CONFIG_ERROR that names the server",
  "mcp-schema:rules": "each kind of schema converts as the table of rules says, integer to number",
  "mcp-schema:optional": "an optional property stays optional, arrays and objects included, at every depth",
  "mcp-schema:laws":
    "converting accepts any value, changes none and is idempotent; the new schema accepts what the given one accepts",
  "mcp-schema:passthrough":
    "every object node is opened, nothing else changes, and the input converter does both steps",
  "mcp-fit:budget":
    "texts stay within the budget of bytes, small texts stay whole, no character is split, and blocks keep their order",
  "mcp-fit:preview": "a preview has at most 4 lines and 500 characters, and marks what it cut",
  "mcp-names:injective":
    "server_tool names are legal, injective, plain where possible, and never those of native tools",
  "mcp-adapters:source": "an adapter accepts a box or an object with one, and follows its changes",
  "mcp-adapters:names": "a name that a provider refuses is projected, and its call reaches the tool",
  "mcp-adapters:failure":
    "an unknown tool, invalid JSON arguments, a fault, an abort and a listener that throws still give a result",
  "mcp-adapters:budget": "long texts are cut for the model, and the whole outcome is available",
  "mcp-adapters:ai-sdk": "the real AI SDK lists, runs and reads the tools, streaming, images and aborts too",
  "mcp-adapters:langchain": "the real LangChain core accepts the tools, runs them and makes tool messages",
  "mcp-adapters:openai-description":
    "a description over OpenAI's limit is cut and marked, no character is split, and the limit can be set",
  "mcp-adapters:openai": "requests and results have the shapes of Chat Completions and of Responses",
  "mcp-adapters:anthropic": "requests and results have the shapes of the Messages API, images included",
  "mcp-adapters:gemini": "requests and results have the shapes of the Gemini API, images included",
} as const;
