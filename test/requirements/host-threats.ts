/** What hostile and careless clients of the provider host cannot do. */
export const hostThreats = {
  "host-threats:isolation":
    "clients with equal request ids, delays and cancels never see an answer or a note of another",
  "host-threats:element-bomb":
    "a body that is all structure is refused before it is parsed, cheaply, while others are served",
  "host-threats:body-cap": "a body over the cap is refused with 413, whether or not it told its length",
  "host-threats:batch-cap": "more messages in one body than allowed are refused, and none of them runs",
  "host-threats:exact-keys": "a key in the wrong case is never read as the right one",
  "host-threats:duplicate-keys": "of two equal keys everybody who looks at a message reads the same",
  "host-threats:pollution": "no message changes what all objects inherit",
  "host-threats:rubbish": "a body that is no message is the client's error and harms nobody",
  "host-threats:tokens": "without a good token made for us nothing is served, and no tool ever sees one",
  "host-threats:shared-secret": "one shared secret guards a listener, compared in constant time",
  "host-threats:rebinding": "a request under a strange host name or from a strange web page is refused",
  "host-threats:beyond-loopback": "nothing beyond this machine is listened to without a verifier of tokens",
  "host-threats:header-injection": "malformed requests get an error of the client's and reach no tool",
  "host-threats:foreign-session": "a session does not exist for any other principal, nor for nobody",
  "host-threats:anonymous": "a session opened without a name cannot be taken over with one",
  "host-threats:session-cap": "a principal holds so many sessions and no more, however fast it opens them",
  "host-threats:session-idle": "a session nobody uses is ended, and what runs in it",
  "host-threats:cancelled-streams": "a call that is cancelled ends its stream and holds no place",
  "host-threats:lost-streams": "a client that lost its stream comes back to it at once and misses nothing",
  "host-threats:stream-cap": "a principal holds so many streams and no more, and gives its places back",
  "host-threats:sent-ahead":
    "requests sent ahead on one connection are answered in turn, and hold nothing when it ends",
  "host-threats:call-cap":
    "a principal runs so many calls and no more, however they come and whatever becomes of their streams",
  "host-threats:drain": "closing lets running calls finish for a while, and then ends what is left",
  "host-threats:stdout": "standard output carries frames alone, whatever a tool prints",
  "host-threats:stdio-disconnect":
    "a client that is gone ends the tools it ran and the process that served it",
  "host-threats:stdio-signals": "a server on standard input and output ends with the signal that asks it to",
  "host-threats:stdio-floods": "a flood of requests, sensible or not, is answered one by one",
  "host-threats:stdio-huge": "large arguments come through, and structure without end is refused",
  "host-threats:json-budget": "a JSON text and its value are measured alike, before and after it is parsed",
  "host-threats:measured-once":
    "arguments are measured once on the way in: over HTTP before parsing, and again only for a smaller budget of the host",
  "host-threats:conversation":
    "a tool that asks in the middle of its work loses no answer and has one end, in every order of events",
  "host-threats:parked-calls":
    "a call that waits for answers is taken up once or ended once, within its caps",
  "host-threats:event-log": "what a session keeps for a client that lost its stream is bounded and in order",
  "host-threats:sealed-state":
    "the state that goes through a client's hands is good once, unchanged, for the same request of the same principal",
  "host-threats:parked-expiry":
    "a question nobody answers in time ends the tool that asked and frees its place",
  "host-threats:parked-cap": "one client's open questions take no place of another's",
  "host-threats:slow-clients":
    "clients that send slowly or only listen cost the others nothing, and are cut off",
} as const;
