/** What an HTTP status that is no success means for the request it answers and for the connection. */
export interface StatusMeaning {
  /** The request certainly did not run. */
  readonly isUnrun: boolean;
  /** It may be asked again after a while: at once when it did not run, otherwise only if asking twice does no harm. */
  readonly isPassing: boolean;
  /** Every later request on this connection would be answered the same way. */
  readonly endsConnection: boolean;
  /** Connecting again may help. */
  readonly retryable: boolean;
  /** Connecting again may help where it worked before: a proxy in front of a server says so while that is replaced. */
  readonly canReturn: boolean;
  /** What somebody can do about it. */
  readonly remedy: string;
}

const REFUSED = {
  isUnrun: true,
  isPassing: false,
  endsConnection: false,
  retryable: false,
  canReturn: true,
};
const TROUBLED = {
  isUnrun: false,
  isPassing: true,
  endsConnection: false,
  retryable: true,
  canReturn: true,
};

const STATUSES: { readonly [status: number]: StatusMeaning } = {
  400: { ...REFUSED, isUnrun: false, remedy: "check that its url is that of an MCP server" },
  401: {
    ...REFUSED,
    endsConnection: true,
    canReturn: false,
    remedy: "log in to it, or put a valid token into its headers, and restart it",
  },
  403: {
    ...REFUSED,
    canReturn: false,
    remedy: "ask for the right to use it, or put another token into its headers",
  },
  404: { ...REFUSED, remedy: "check the path in its url" },
  405: { ...REFUSED, remedy: "check its url and kind: another HTTP transport may be served there" },
  406: { ...REFUSED, remedy: "check its url and kind: another HTTP transport may be served there" },
  407: { ...REFUSED, isUnrun: false, canReturn: false, remedy: "log in to the proxy on the way to it" },
  408: { ...TROUBLED, remedy: "try again when the network is faster" },
  409: { ...REFUSED, isUnrun: false, remedy: "see whether another client holds the same session" },
  413: { ...REFUSED, remedy: "send less in one call" },
  415: { ...REFUSED, remedy: "check its url and kind: another HTTP transport may be served there" },
  429: { ...TROUBLED, isUnrun: true, remedy: "call it less often, or raise its limit" },
  451: {
    ...REFUSED,
    isUnrun: false,
    canReturn: false,
    remedy: "use another server: this one may not answer",
  },
  501: {
    ...TROUBLED,
    isPassing: false,
    retryable: false,
    remedy: "check that its url is that of an MCP server",
  },
};

const MOVED: StatusMeaning = { ...REFUSED, remedy: "put the address it is now at into its url" };
const CLIENT_ERROR: StatusMeaning = { ...REFUSED, isUnrun: false, remedy: "check its url and headers" };
const SERVER_ERROR: StatusMeaning = { ...TROUBLED, remedy: "look at the log of the server itself" };

/** Looks a status up; one that is not listed means what its hundred means. */
export function httpStatusMeaning(status: number): StatusMeaning {
  const listed = STATUSES[status];
  if (listed) return listed;
  if (status < 400) return MOVED;
  return status < 500 ? CLIENT_ERROR : SERVER_ERROR;
}
