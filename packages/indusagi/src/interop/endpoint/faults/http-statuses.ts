/** What an HTTP error or redirect status means for its request and for the connection. */
export interface StatusMeaning {
  /** The request certainly did not run. */
  readonly didNotRun: boolean;
  /** The request may be retried after a delay: always if it did not run, otherwise only if it has no side effects. */
  readonly isTemporary: boolean;
  /** Every later request on this connection would get the same answer. */
  readonly endsConnection: boolean;
  /** Reconnecting may help. */
  readonly retryable: boolean;
  /** Reconnecting may help if it worked before: proxies answer this way while the server behind them is replaced. */
  readonly canReturn: boolean;
  /** What the user can do. */
  readonly remedy: string;
}

const REFUSED = {
  didNotRun: true,
  isTemporary: false,
  endsConnection: false,
  retryable: false,
  canReturn: true,
};
const OUTAGE = {
  didNotRun: false,
  isTemporary: true,
  endsConnection: false,
  retryable: true,
  canReturn: true,
};

const STATUSES: { readonly [status: number]: StatusMeaning } = {
  400: { ...REFUSED, didNotRun: false, remedy: "check that its url points to an MCP server" },
  401: {
    ...REFUSED,
    endsConnection: true,
    canReturn: false,
    remedy: "log in to it, or put a valid token into its headers, and restart it",
  },
  403: {
    ...REFUSED,
    canReturn: false,
    remedy: "ask for access to it, or put another token into its headers",
  },
  404: { ...REFUSED, remedy: 'correct the path in its "url"; many servers use /mcp or /sse' },
  405: { ...REFUSED, remedy: "check its url and kind: another HTTP transport may be served there" },
  406: { ...REFUSED, remedy: "check its url and kind: another HTTP transport may be served there" },
  407: { ...REFUSED, didNotRun: false, canReturn: false, remedy: "log in to the proxy in front of it" },
  408: { ...OUTAGE, remedy: "try again when the network is faster" },
  409: { ...REFUSED, didNotRun: false, remedy: "check whether another client uses the same session" },
  413: { ...REFUSED, remedy: "send less in one call" },
  415: { ...REFUSED, remedy: "check its url and kind: another HTTP transport may be served there" },
  429: { ...OUTAGE, didNotRun: true, remedy: "call it less often, or raise its limit" },
  451: {
    ...REFUSED,
    didNotRun: false,
    canReturn: false,
    remedy: "use another server: this one may not answer",
  },
  501: {
    ...OUTAGE,
    isTemporary: false,
    retryable: false,
    remedy: "check that its url points to an MCP server",
  },
};

const MOVED: StatusMeaning = { ...REFUSED, remedy: "change its url to the new address" };
const CLIENT_ERROR: StatusMeaning = { ...REFUSED, didNotRun: false, remedy: "check its url and headers" };
const SERVER_ERROR: StatusMeaning = { ...OUTAGE, remedy: "check the log of the server itself" };

/** The meaning of a status. A status that is not in the table means what its class (3xx, 4xx, 5xx) means. */
export function httpStatusMeaning(status: number): StatusMeaning {
  const listed = STATUSES[status];
  if (listed) return listed;
  if (status < 400) return MOVED;
  return status < 500 ? CLIENT_ERROR : SERVER_ERROR;
}
