/** What we need of the MCP SDK beyond its documented API; `docs/sdk-seams.md` explains each. */
export const sdkSeams = {
  "sdk-seams:page": "docs/sdk-seams.md has one section for each seam, and each seam has a test",
  "sdk-seams:process-members":
    "the SDK takes a transport with the members pid and stderr for a process, whose silence means a legacy server",
  "sdk-seams:resume-stream": "resumeStream with an empty id opens a new stream for notifications",
  "sdk-seams:sse-redial":
    "an SSE transport that is closed in the microtask after its error does not dial again",
  "sdk-seams:stream-context":
    "the SDK's HTTP transport delivers the messages of a stream in the asynchronous call that opened it",
  "sdk-seams:error-status":
    "the JSON-RPC error in the body of a 400 is the answer to a modern request; that of a 404 is not",
  "sdk-seams:json-body":
    "the HTTP transport reads a JSON body with json() of the response that fetch gave it",
  "sdk-seams:wrap-handler": "a subclass of Server wraps the handler of tools/call through _wrapHandler",
  "sdk-seams:overheard-listen":
    "subscriptions/listen passes through our transport and names its resources where we look for them",
  "sdk-seams:task-subscriptions":
    "the SDK accepts a subscription to tasks, acknowledges it without them in a part of its own, and ends a stream that has nothing else",
  "sdk-seams:request-subclass":
    "the SDK's handler needs no body beside a parsed one, and reads the signal of a Request subclass",
  "sdk-seams:request-identity":
    "the SDK's handler passes the same Request object to its factory as requestInfo",
  "sdk-seams:state-spelling":
    "a request state is base64url parts after the first dot, and the SDK accepts more than one spelling of it",
  "sdk-seams:validator-steps":
    "the SDK's validator reads the type of each schema that it applies, and passes on an error thrown there",
} as const;
