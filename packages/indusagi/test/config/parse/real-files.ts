/** Files from the manuals of other clients, and the expected result. */
export interface RealFile {
  readonly client: string;
  readonly text: string;
  readonly servers: readonly object[];
  /** Parts of the expected diagnostics, in order. */
  readonly messages?: readonly string[];
}

export const REAL_FILES: readonly RealFile[] = [
  {
    client: "Claude Desktop",
    text: `{
  "globalShortcut": "Ctrl+Space",
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/Users/me/Desktop"]
    }
  }
}`,
    servers: [
      {
        kind: "stdio",
        id: "filesystem",
        command: "npx",
        args: ["-y", "@modelcontextprotocol/server-filesystem", "/Users/me/Desktop"],
      },
    ],
    messages: ['"globalShortcut" at the top'],
  },
  {
    client: "Claude Code (.mcp.json)",
    text: `{
  "mcpServers": {
    "api-server": {
      "type": "http",
      "url": "\${API_BASE_URL:-https://api.example.com}/mcp",
      "headers": { "Authorization": "Bearer \${API_KEY}" }
    },
    "db": { "type": "stdio", "command": "db-server", "args": [], "env": {} },
    "old": { "type": "sse", "url": "https://old.example.com/sse" }
  }
}`,
    servers: [
      {
        kind: "streamable-http",
        id: "api-server",
        url: "https://api.example.com/mcp",
        headers: { Authorization: "Bearer key-1" },
        onMismatch: "fail",
      },
      { kind: "stdio", id: "db", command: "db-server", args: [], env: {} },
      { kind: "sse", id: "old", url: "https://old.example.com/sse", onMismatch: "fail" },
    ],
  },
  {
    client: "Cursor",
    text: `{
  "mcpServers": {
    "local": { "command": "python", "args": ["\${workspaceFolder}/server.py"], "env": { "API_KEY": "\${env:API_KEY}" } },
    "remote": { "url": "http://localhost:3000/mcp", "headers": { "API_KEY": "value" } }
  }
}`,
    servers: [
      {
        kind: "stdio",
        id: "local",
        command: "python",
        args: ["/home/ada/project/server.py"],
        env: { API_KEY: "key-1" },
      },
      {
        kind: "streamable-http",
        id: "remote",
        url: "http://localhost:3000/mcp",
        headers: { API_KEY: "value" },
      },
    ],
  },
  {
    client: "VS Code (mcp.json)",
    text: `{
  // asked for once
  "inputs": [{ "type": "promptString", "id": "perplexity-key", "description": "API key", "password": true }],
  "servers": {
    "Perplexity": {
      "type": "stdio",
      "command": "npx",
      "args": ["-y", "server-perplexity-ask"],
      "env": { "PERPLEXITY_API_KEY": "\${input:perplexity-key}" },
    },
    "github": { "type": "http", "url": "https://api.githubcopilot.com/mcp" },
    "fetch": { "type": "stdio", "command": "uvx", "args": ["mcp-server-fetch"], "cwd": "\${userHome}/x" },
  },
}`,
    servers: [
      {
        kind: "streamable-http",
        id: "github",
        url: "https://api.githubcopilot.com/mcp",
        onMismatch: "fail",
      },
      { kind: "stdio", id: "fetch", command: "uvx", args: ["mcp-server-fetch"], cwd: "/home/me/x" },
    ],
    messages: ['"inputs" are not supported', "uses the input perplexity-key"],
  },
  {
    client: "VS Code (settings.json)",
    text: `{ "editor.fontSize": 12, "mcp": { "servers": { "one": { "command": "one" } } } }`,
    servers: [{ kind: "stdio", id: "one", command: "one" }],
    messages: ['"editor.fontSize" at the top'],
  },
  {
    client: "Cline",
    text: `{
  "mcpServers": {
    "local-server": {
      "command": "node", "args": ["/path/to/server.js"], "env": { "API_KEY": "x" },
      "alwaysAllow": ["tool1"], "autoApprove": [], "disabled": false, "timeout": 60
    },
    "linear": { "type": "streamableHttp", "url": "https://mcp.linear.app/mcp", "disabled": true }
  }
}`,
    servers: [
      {
        kind: "stdio",
        id: "local-server",
        command: "node",
        args: ["/path/to/server.js"],
        env: { API_KEY: "x" },
        timeouts: { callMs: 60 },
      },
      {
        kind: "streamable-http",
        id: "linear",
        url: "https://mcp.linear.app/mcp",
        enabled: false,
        onMismatch: "fail",
      },
    ],
    messages: ['"alwaysAllow" has no effect', '"autoApprove" has no effect', '"timeout" is 60 ms'],
  },
  {
    client: "Windsurf",
    text: `{
  "mcpServers": {
    "remote": { "serverUrl": "https://example.com/mcp", "headers": { "API_KEY": "Bearer \${env:API_KEY}" } },
    "figma": { "command": "npx", "args": ["figma"], "disabledTools": ["write"] }
  }
}`,
    servers: [
      {
        kind: "streamable-http",
        id: "remote",
        url: "https://example.com/mcp",
        headers: { API_KEY: "Bearer key-1" },
      },
      { kind: "stdio", id: "figma", command: "npx", args: ["figma"], excludeTools: ["write"] },
    ],
  },
  {
    client: "Gemini CLI",
    text: `{ "mcpServers": { "http": { "httpUrl": "https://x.example/mcp", "timeout": 5000, "trust": true, "includeTools": ["a"] } } }`,
    servers: [
      {
        kind: "streamable-http",
        id: "http",
        url: "https://x.example/mcp",
        timeouts: { callMs: 5000 },
        includeTools: ["a"],
      },
    ],
    messages: ['"trust" has no effect'],
  },
  {
    client: "Zed",
    text: `{
  "theme": "One Dark",
  "context_servers": {
    "local": { "source": "custom", "command": "some-command", "args": ["a"], "env": {} },
    "remote": { "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer x" } },
  },
}`,
    servers: [
      { kind: "stdio", id: "local", command: "some-command", args: ["a"], env: {} },
      {
        kind: "streamable-http",
        id: "remote",
        url: "https://example.com/mcp",
        headers: { Authorization: "Bearer x" },
      },
    ],
    messages: ['"theme" at the top'],
  },
  {
    client: "opencode",
    text: `{
  "$schema": "https://opencode.ai/config.json",
  "model": "some/model",
  "mcp": {
    "local": {
      "type": "local", "command": ["npx", "-y", "some-server"], "enabled": true,
      "environment": { "TOKEN": "{env:API_KEY}" }, "timeout": 5000
    },
    "remote": { "type": "remote", "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer {env:API_KEY}" }, "oauth": false },
    "off": { "type": "remote", "url": "https://{env:NO_SUCH_HOST}/mcp", "enabled": false },
    "file": { "type": "remote", "url": "https://example.com/mcp", "headers": { "Authorization": "{file:~/.token}" } },
    "unset": { "type": "local", "command": ["x", "{env:NO_SUCH_VARIABLE}"] },
    "empty": { "type": "local", "command": [] },
    "odd": { "type": "local", "command": [null, "x"] }
  }
}`,
    servers: [
      {
        kind: "stdio",
        id: "local",
        command: "npx",
        args: ["-y", "some-server"],
        env: { TOKEN: "key-1" },
        timeouts: { listMs: 5000 },
      },
      {
        kind: "streamable-http",
        id: "remote",
        url: "https://example.com/mcp",
        headers: { Authorization: "Bearer key-1" },
        oauth: false,
      },
      { kind: "streamable-http", id: "off", url: "https://{env:NO_SUCH_HOST}/mcp", enabled: false },
    ],
    messages: [
      '"model" at the top',
      "uses {file:…}, which is not supported",
      "uses the variable NO_SUCH_VARIABLE, which is not set",
      '"command" does not begin with a program',
      "command[0] is not a string",
      '"command" does not begin with a program',
    ],
  },
  {
    client: "opencode, with mcp.servers",
    text: `{ "mcp": { "servers": { "one": { "type": "local", "command": ["one", "two"], "args": ["three"], "disabled": true } } } }`,
    servers: [{ kind: "stdio", id: "one", command: "one", args: ["two", "three"], enabled: false }],
  },
  {
    client: "opencode, with a server called servers",
    text: `{ "mcp": { "servers": { "type": "local", "command": ["one"] } } }`,
    servers: [{ kind: "stdio", id: "servers", command: "one" }],
  },
  {
    client: "our own, as a list",
    text: `{
  "servers": [
    { "name": "github", "command": "npx", "args": ["-y", "server-github"], "env": { "GITHUB_TOKEN": "t" }, "enabled": true },
    { "name": "remote", "url": "http://localhost:8080/mcp", "headers": { "Authorization": "Bearer t" }, "enabled": false }
  ]
}`,
    servers: [
      {
        kind: "stdio",
        id: "github",
        command: "npx",
        args: ["-y", "server-github"],
        env: { GITHUB_TOKEN: "t" },
      },
      {
        kind: "streamable-http",
        id: "remote",
        url: "http://localhost:8080/mcp",
        headers: { Authorization: "Bearer t" },
        enabled: false,
      },
    ],
  },
];
