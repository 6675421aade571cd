import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { Redactor } from "../../../../src/core/internal.ts";
import { ProtocolFault } from "../../../../src/interop/contract/index.ts";
import { processRemains } from "../../../../src/interop/endpoint/faults/process-remains.ts";
import { stderrReason } from "../../../../src/interop/endpoint/faults/stderr-reason.ts";
import { retryOutlook } from "../../../../src/interop/fleet/failures/retry-outlook.ts";

interface Sample {
  readonly name: string;
  readonly stderr: string;
  readonly reason: string;
  /** The variables that the advice says to set; none if it is to run the command by hand. */
  readonly unset?: readonly string[];
}

const STACK =
  "    at main (/srv/node_modules/some-server/dist/index.js:12:3)\n    at node:internal/main/run:1:1";

/** In the style of public servers in Node, Python, Go and Rust, started without credentials. */
const samples: readonly Sample[] = [
  {
    name: "commander: an error above usage that mentions errors",
    stderr:
      "Error: Please provide a connection string with --url\n\nUsage: some-mcp [options]\n\nOptions:\n  --url <url>    (required) where to connect\n  --level <l>    one of DEBUG, INFO, ERROR: default is ERROR\n  -h, --help     display help",
    reason: "Error: Please provide a connection string with --url",
  },
  {
    name: "a phrase above usage with required options",
    stderr:
      "Missing DATABASE_URL\nUsage: pg-mcp [DATABASE_URL]\n\nArguments:\n  DATABASE_URL   required, cannot be empty\nEnvironment variables:\n  PG_SSL_MODE    must be set for TLS",
    reason: "Missing DATABASE_URL",
    unset: ["DATABASE_URL"],
  },
  {
    name: "cobra",
    stderr:
      'Error: required flag(s) "token" not set\nUsage:\n  some-mcp stdio [flags]\n\nFlags:\n  -h, --help           help for stdio\n      --token string   error: required if GITHUB_TOKEN is not set\n',
    reason: 'Error: required flag(s) "token" not set',
  },
  {
    name: "the flags of Go",
    stderr:
      "flag provided but not defined: -stdio\nUsage of some-mcp:\n  -token string\n    \tAPI token (required)",
    reason: "flag provided but not defined: -stdio",
  },
  {
    name: "an Error: line of its own, then usage",
    stderr:
      "❌ Error: API_TOKEN is required\nUsage: API_TOKEN=<token> some-mcp\n  --strict  failed calls are errors: fatal",
    reason: "❌ Error: API_TOKEN is required",
    unset: ["API_TOKEN"],
  },
  {
    name: "argparse: usage first",
    stderr: "usage: mcp-thing [-h] --dsn DSN\nmcp-thing: error: the following arguments are required: --dsn",
    reason: "mcp-thing: error: the following arguments are required: --dsn",
  },
  {
    name: "pino: the log has the error",
    stderr: `${JSON.stringify({
      level: 60,
      time: 1,
      pid: 7,
      err: {
        type: "Error",
        message: "Set SLACK_BOT_TOKEN and SLACK_TEAM_ID",
        stack: `Error: Set …\n${STACK.repeat(30)}`,
      },
      msg: "Uncaught exception",
    })}\nUncaught exception`,
    reason: "Set SLACK_BOT_TOKEN and SLACK_TEAM_ID",
    unset: ["SLACK_BOT_TOKEN", "SLACK_TEAM_ID"],
  },
  {
    name: "error.message, and Fatal error after it",
    stderr:
      '{"level":"error","error":{"message":"Missing required environment variable: NOTION_TOKEN"},"message":"startup"}\nFatal error',
    reason: "Missing required environment variable: NOTION_TOKEN",
    unset: ["NOTION_TOKEN"],
  },
  {
    name: "only msg names the variables",
    stderr:
      'Fatal error\n{"level":"fatal","msg":"JIRA_URL and JIRA_API_TOKEN must be set","err":{"message":"startup failed"}}',
    reason: "JIRA_URL and JIRA_API_TOKEN must be set",
    unset: ["JIRA_URL", "JIRA_API_TOKEN"],
  },
  {
    name: "slog of Go in JSON",
    stderr:
      '{"time":"2026-11-18T10:00:00Z","level":"ERROR","msg":"failed to start server","error":"GRAFANA_URL is not set"}',
    reason: "GRAFANA_URL is not set",
    unset: ["GRAFANA_URL"],
  },
  {
    name: "winston: text and then JSON",
    stderr:
      '2026-11-18 10:00:00 [error] Uncaught exception {"error":{"message":"ELASTIC_API_KEY is required"}}\n[error] Exiting with code 1',
    reason: "ELASTIC_API_KEY is required",
    unset: ["ELASTIC_API_KEY"],
  },
  {
    name: "pino-pretty: over several lines",
    stderr:
      '[10:00:00.000] FATAL (77): Uncaught exception\n    err: {\n      "type": "Error",\n      "message": "LINEAR_API_KEY environment variable is required",\n    }',
    reason: "LINEAR_API_KEY environment variable is required",
    unset: ["LINEAR_API_KEY"],
  },
  {
    name: "structlog of Python",
    stderr:
      '{"event": "TODOIST_API_TOKEN missing", "level": "critical", "logger": "server"}\nServer failed to start.',
    reason: "TODOIST_API_TOKEN missing",
    unset: ["TODOIST_API_TOKEN"],
  },
  {
    name: "a generic error alone is still better than plain output",
    stderr: "starting\nUncaught exception\nbye",
    reason: "Uncaught exception",
  },
  {
    name: "please set",
    stderr: "Error: No API key found\nPlease set the TAVILY_API_KEY environment variable",
    reason: "Please set the TAVILY_API_KEY environment variable",
    unset: ["TAVILY_API_KEY"],
  },
  {
    name: "a remedy after a stack",
    stderr: `Error: Not authenticated\n${STACK}\nSet the SENTRY_ACCESS_TOKEN environment variable or pass --access-token`,
    reason: "Set the SENTRY_ACCESS_TOKEN environment variable or pass --access-token",
    unset: ["SENTRY_ACCESS_TOKEN"],
  },
  {
    name: "a remedy before the throw",
    stderr: `Please provide EXA_API_KEY in the environment\nfile:///srv/index.js:3\n  throw new Error("x");\n        ^\n\nError: configuration is incomplete\n${STACK}\n\nNode.js v22.1.0`,
    reason: "Please provide EXA_API_KEY in the environment",
    unset: ["EXA_API_KEY"],
  },
  {
    name: "a remedy with a list",
    stderr:
      "Error: no credentials\nSet the following environment variables:\n  - CONFLUENCE_URL\n  - CONFLUENCE_TOKEN\n",
    reason: "Set the following environment variables: CONFLUENCE_URL, CONFLUENCE_TOKEN",
    unset: ["CONFLUENCE_URL", "CONFLUENCE_TOKEN"],
  },
  {
    name: "an error with a list",
    stderr: "Missing required environment variables:\n  * MONGO_URI (required)\n  * MONGO_DB (required)\n",
    reason: "Missing required environment variables: MONGO_URI (required), MONGO_DB (required)",
    unset: ["MONGO_URI", "MONGO_DB"],
  },
  {
    name: "a hint",
    stderr: "ValueError: authentication failed\nHint: export HF_TOKEN=<your_token>",
    reason: "Hint: export HF_TOKEN=<your_token>",
    unset: ["HF_TOKEN"],
  },
  {
    name: "a request to log in",
    stderr: "ERROR: no application credentials\nPlease run `gcloud auth application-default login`",
    reason: "Please run `gcloud auth application-default login`",
  },
  {
    name: "advice about the log is no remedy",
    stderr: "Error: the database is locked\nSet LOG_LEVEL=debug for more details",
    reason: "Error: the database is locked",
  },
  {
    name: "an error that names the variable stays",
    stderr: "Error: BRAVE_API_KEY environment variable is required\nSet BRAVE_API_KEY and try again",
    reason: "Error: BRAVE_API_KEY environment variable is required",
    unset: ["BRAVE_API_KEY"],
  },
  {
    name: "a KeyError",
    stderr: `Traceback (most recent call last):\n  File "/srv/server.py", line 3, in <module>\n    key = os.environ["PERPLEXITY_API_KEY"]\nKeyError: 'PERPLEXITY_API_KEY'`,
    reason: "KeyError: 'PERPLEXITY_API_KEY'",
    unset: ["PERPLEXITY_API_KEY"],
  },
  {
    name: "log.Fatal of Go",
    stderr: "2026/11/18 10:00:00 GITHUB_PERSONAL_ACCESS_TOKEN not set",
    reason: "2026/11/18 10:00:00 GITHUB_PERSONAL_ACCESS_TOKEN not set",
    unset: ["GITHUB_PERSONAL_ACCESS_TOKEN"],
  },
  {
    name: "a state that redaction must not hide",
    stderr: "Checking the environment\nGEMINI_API_KEY: NOT SET",
    reason: "GEMINI_API_KEY: NOT SET",
    unset: ["GEMINI_API_KEY"],
  },
  {
    name: "issues of zod",
    stderr: 'ZodError: [\n  {\n    "path": ["STRIPE_SECRET_KEY"],\n    "message": "Required"\n  }\n]',
    reason: "ZodError: STRIPE_SECRET_KEY: Required",
    unset: ["STRIPE_SECRET_KEY"],
  },
  {
    name: "a panic of Rust",
    stderr:
      "thread 'main' panicked at src/main.rs:9:5:\nQDRANT_URL must be set\nnote: run with `RUST_BACKTRACE=1`",
    reason: "thread 'main' panicked at src/main.rs:9:5: QDRANT_URL must be set",
    unset: ["QDRANT_URL"],
  },
  {
    name: "codes of errors are no variables",
    stderr: "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod', required by /srv/x.js",
    reason: "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod', required by /srv/x.js",
  },
  {
    name: "a variable that was given",
    stderr: "Error: GIVEN_TOKEN is required to be a valid token",
    reason: "Error: GIVEN_TOKEN is required to be a valid token",
  },
  {
    name: "a variable that was given empty",
    stderr: "Error: EMPTY_TOKEN must not be empty",
    reason: "Error: EMPTY_TOKEN must not be empty",
    unset: ["EMPTY_TOKEN"],
  },
  {
    name: "a variable with a default",
    stderr: "CACHE_DIR not set, using the default\nError: disk quota exceeded",
    reason: "Error: disk quota exceeded",
  },
];

const env = { GIVEN_TOKEN: "abc-123", EMPTY_TOKEN: "" };

/** Without what depends on the environment of the test. */
function remainsOf(stderr: string): Omit<ReturnType<typeof processRemains>, "unpassed"> {
  const { unpassed: _, ...remains } = processRemains(
    { exit: { code: 1, signal: null }, stderr: new Redactor().text(stderr) },
    { id: "s", kind: "stdio", command: "some-server", args: [], env },
  );
  return remains;
}

verifies(
  "diagnose:remedy",
  "what servers print without credentials: the line that helps is the reason",
  () => {
    expect(samples.length).toBeGreaterThanOrEqual(25);
    for (const { name, stderr, reason } of samples) {
      const lines = remainsOf(stderr).stderrReason;
      expect(lines?.[0], name).toBe(reason);
      expect(stderrReason(new Redactor().text(stderr)).reason, name).toBe(reason);
    }
  },
);

verifies(
  "diagnose:remedy",
  "if the server named what is missing, the advice is to set that, with what to write",
  () => {
    for (const { name, stderr, unset } of samples) {
      const remains = remainsOf(stderr);
      const { remedy } = retryOutlook(new ProtocolFault("spawn_failed", "x", { server: "s", ...remains }));
      expect(remains.unset, name).toEqual(unset);
      if (!unset) expect(remedy, name).toBe("run its command by hand to see why it exits");
      for (const variable of unset ?? []) {
        expect(remedy, name).toContain(`"${variable}": "\${${variable}}"`);
        expect(remedy, name).toContain(`${variable}=VALUE`);
      }
    }
  },
);

verifies("diagnose:remedy", "a server that is still running is not told to set anything", () => {
  const observed = { exit: undefined, stderr: "Error: API_TOKEN is required" };
  const config = { id: "s", kind: "stdio", command: "some-server", args: [] } as const;
  expect(processRemains(observed, config).unset).toBeUndefined();
});
