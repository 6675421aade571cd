export const facade = {
  "mcp:names": "the type names of the facade exist with their members, and the codes are pinned by literals",
  "mcp-error:shape": "an error keeps code, details, server, tool and cause, and is known across copies",
  "mcp-error:factories": "each factory gives its code, names server and tool, and says the way out",
  "mcp-error:safe-json":
    "what an error logs holds no header, environment value, token, URL login or query, and no given secret",
  "mcp-error:table":
    "every fault kind, reason and JSON-RPC code, deadline and config problem maps to one code by one table",
  "mcp-error:abort": "an abort is never mapped: it comes back as it was",
  "mcp-config:translate":
    "a facade's connection becomes a server configuration, and a wrong shape a CONFIG_ERROR with its name",
  "mcp-schema:rules": "each kind of schema converts as the table of rules says, integer to number",
  "mcp-schema:optional": "an optional property stays optional, arrays and objects included, at every depth",
  "mcp-schema:laws":
    "converting is total, pure and idempotent, and what the given schema accepts the new one accepts",
  "mcp-schema:passthrough":
    "every object node is opened, nothing else changes, and the input converter is the two in a row",
  "mcp-fit:budget":
    "texts stay within the budget of bytes, small ones whole, no character split, every block in its place",
  "mcp-fit:preview": "a preview has at most 4 lines and 500 characters, and marks what it cut",
  "mcp-names:injective":
    "server_tool names are legal, injective, plain where possible and never those of native tools",
  "mcp-adapters:source": "an adapter takes a box or whatever has one, and follows its changes",
  "mcp-adapters:names": "a name outside a provider's grammar is projected, and its call reaches the tool",
  "mcp-adapters:failure":
    "an unknown tool, arguments that are no JSON, a fault and an abort are results the provider takes",
  "mcp-adapters:budget": "long texts are cut for the model, and the whole outcome can be had",
  "mcp-adapters:ai-sdk": "the real AI SDK lists, runs and reads the tools, streaming, images and aborts too",
  "mcp-adapters:langchain": "the real LangChain core takes the tools, runs them and makes tool messages",
  "mcp-adapters:openai-description":
    "a description over OpenAI's limit is cut with a sign, no character split; the limit can be set",
  "mcp-adapters:openai": "requests and results have the shapes of Chat Completions and of Responses",
  "mcp-adapters:anthropic": "requests and results have the shapes of the Messages API, images included",
  "mcp-adapters:gemini": "requests and results have the shapes of the Gemini API, images included",
} as const;
