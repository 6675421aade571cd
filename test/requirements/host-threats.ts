/** What hostile and careless clients of the provider host cannot do. */
export const hostThreats = {
  "host-threats:isolation":
    "clients with equal request ids, delays and cancels never see an answer or a progress note of another",
  "host-threats:element-bomb":
    "a body that is all structure is refused before it is parsed, at low cost, while others are served",
  "host-threats:body-cap": "a body over the limit is refused with 413, with or without a declared length",
  "host-threats:batch-cap": "a body with more messages than allowed is refused, and none of them runs",
  "host-threats:exact-keys": "a key in the wrong case is never read as the right one",
  "host-threats:duplicate-keys": "of two equal keys, every reader of a message uses the same one",
  "host-threats:pollution": "no message changes the prototype of objects",
  "host-threats:rubbish": "a body that is not a message is a client error and affects no other client",
  "host-threats:tokens":
    "without a valid token for this audience nothing is served, and no tool ever sees a token",
  "host-threats:shared-secret": "one shared secret protects a listener and is compared in constant time",
  "host-threats:rebinding": "a request with an unknown host name or from an unknown web page is refused",
  "host-threats:beyond-loopback": "an address that other machines can reach requires a token verifier",
  "host-threats:header-injection": "malformed requests get a client error and reach no tool",
  "host-threats:repeated-headers":
    "a request that has a header twice which counts once, such as Host, is refused with 400 on every route and page",
  "host-threats:foreign-session": "a session does not exist for another principal or for an anonymous client",
  "host-threats:anonymous": "an anonymous session cannot be taken over by a named principal",
  "host-threats:session-cap": "the sessions of a principal are limited, however fast it opens them",
  "host-threats:session-idle": "an unused session is ended together with what runs in it",
  "host-threats:cancelled-streams": "a cancelled call ends its stream and frees its slot",
  "host-threats:lost-streams": "a client that lost its stream can return at once and misses nothing",
  "host-threats:stream-cap": "the streams of a principal are limited, and closed ones are freed",
  "host-threats:sent-ahead":
    "pipelined requests on one connection are answered in turn, and hold nothing when it ends",
  "host-threats:call-cap":
    "the running calls of a principal are limited, however they arrive and whatever happens to their streams",
  "host-threats:drain":
    "closing lets running calls finish for a while, then ends the rest; a call that ends with its session is answered",
  "host-threats:stdout": "standard output carries only messages, whatever a tool prints",
  "host-threats:stdio-disconnect":
    "a client that disconnects ends its running tools and the process that serves it",
  "host-threats:stdio-signals": "a server on standard input and output ends on a termination signal",
  "host-threats:stdio-floods": "in a flood of valid and invalid requests each gets its own answer",
  "host-threats:stdio-huge": "large arguments are accepted, and unlimited structure is refused",
  "host-threats:json-budget": "a JSON text and its parsed value are measured alike",
  "host-threats:measured-once":
    "arguments are measured once on the way in: over HTTP before parsing, and again only for a smaller budget of the host",
  "host-threats:conversation":
    "a tool that asks a question loses no answer and has one end, in every order of events",
  "host-threats:parked-calls":
    "a call that waits for answers is resumed once or ended once, within the limits",
  "host-threats:event-log":
    "the events a session stores for a client that lost its stream are limited and in order",
  "host-threats:sealed-state":
    "a request state is valid once, unchanged, for the same request of the same principal",
  "host-threats:parked-expiry":
    "a question without an answer in time ends the tool that asked and frees its place",
  "host-threats:parked-cap": "open questions of one client take no place of another's",
  "host-threats:slow-clients":
    "clients that send slowly or only listen cost the others nothing and are disconnected",
  "host-threats:token-end":
    "when a token expires or is revoked, its streams, subscriptions, sessions and running calls end with an error; results already sent stay valid",
  "host-threats:token-end-told":
    "a call that its tool was given when its token ended is answered with an error that says that it may have run; other requests get the plain refusal, with the same status and header",
} as const;
