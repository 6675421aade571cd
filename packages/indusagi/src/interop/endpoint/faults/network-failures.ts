import type { Symptoms } from "./symptoms.ts";

/** What a network, TLS or fetch error means, and what the user can do. */
export interface NetworkFailure {
  /** A clause to follow a colon. */
  readonly summary: string;
  /** Reconnecting may help. */
  readonly retryable: boolean;
  /** Reconnecting may help if it worked before. */
  readonly canReturn: boolean;
  readonly remedy: string;
}

interface Row extends Omit<NetworkFailure, "summary" | "canReturn"> {
  /** Codes of the system, TLS or fetch. */
  readonly codes?: readonly string[];
  /** For errors without a code. */
  readonly pattern?: RegExp;
  /** `detail`: the part of the error message that `subject` matches, such as a host. */
  readonly summary: (detail: string) => string;
  readonly subject?: RegExp;
  readonly canReturn?: boolean;
}

const TRUST = "set NODE_EXTRA_CA_CERTS to a file with";
const WRONG_ADDRESS = { retryable: false, canReturn: true };

const ROWS: readonly Row[] = [
  // First, because the codes of these errors seem to be about the server.
  {
    pattern: /^the proxy address in /,
    summary: () => "the proxy address in HTTP_PROXY or HTTPS_PROXY is not valid",
    retryable: false,
    remedy: "correct the variable, for example http://proxy.example.com:3128, or unset it",
  },
  {
    pattern: /^the proxy at /,
    summary: (proxy) => `the proxy at ${proxy} cannot be reached`,
    subject: /^the proxy at (\S+)/,
    retryable: true,
    remedy: "check the network, correct HTTP_PROXY and HTTPS_PROXY, or add the host to NO_PROXY",
  },
  {
    pattern: /^Proxy (response|Authentication Required) \(\d+\)/,
    summary: (status) => `the proxy refused to connect to it (HTTP ${status})`,
    subject: /^[\w ]+\((\d+)\)/,
    retryable: false,
    canReturn: true,
    remedy: "check the user and password in HTTPS_PROXY and HTTP_PROXY, or add the host to NO_PROXY",
  },
  {
    codes: ["ENOTFOUND"],
    summary: (host) => `${host ? `host ${host}` : "its host"} was not found`,
    subject: /ENOTFOUND (\S+)/,
    retryable: true,
    remedy: 'correct the host name in its "url", or check the network and DNS',
  },
  {
    codes: ["EAI_AGAIN"],
    summary: (host) => `the DNS server did not answer${host && ` for ${host}`}`,
    subject: /EAI_AGAIN (\S+)/,
    retryable: true,
    remedy: "check the network",
  },
  {
    codes: ["ECONNREFUSED"],
    summary: (address) => `nothing listens at ${address || "its address"}`,
    subject: /ECONNREFUSED (\S+)/,
    retryable: true,
    remedy: 'start the server, or correct the host and port in its "url"',
  },
  {
    codes: ["EHOSTUNREACH", "ENETUNREACH", "ENETDOWN"],
    summary: () => "its host cannot be reached from this network",
    retryable: true,
    remedy: 'check the network, or the host in its "url"',
  },
  {
    codes: ["UND_ERR_CONNECT_TIMEOUT", "ETIMEDOUT"],
    summary: () => "its host did not answer in time",
    retryable: true,
    remedy: 'check the network and firewalls, or the host and port in its "url"',
  },
  {
    codes: ["UND_ERR_SOCKET", "ECONNRESET"],
    summary: () => "the connection was closed before an answer came",
    retryable: true,
    remedy: 'check the log of the server; if it expects TLS, use https:// in its "url"',
  },
  {
    pattern: /^bad port$/,
    summary: () => "its port belongs to another protocol, and HTTP clients refuse to use it",
    retryable: false,
    remedy: 'serve it at another port, such as 8080, and correct "url" in its configuration',
  },
  {
    codes: ["ERR_INVALID_URL"],
    summary: () => 'its "url" is not valid',
    retryable: false,
    remedy: 'correct "url" in its configuration; the highest port is 65535',
  },
  {
    pattern: /^unknown scheme$/,
    summary: () => 'its "url" is neither http:// nor https://',
    retryable: false,
    remedy: 'correct "url" in its configuration',
  },
  {
    codes: ["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN"],
    summary: () => "its certificate is self-signed",
    retryable: false,
    remedy: `${TRUST} that certificate if you trust it`,
  },
  {
    codes: ["CERT_HAS_EXPIRED"],
    summary: () => "its certificate has expired",
    retryable: false,
    remedy: "renew its certificate, or correct the clock of this machine",
  },
  {
    codes: ["CERT_NOT_YET_VALID"],
    summary: () => "its certificate is not valid yet",
    retryable: false,
    remedy: "correct the clock of this machine, or of the one that issued the certificate",
  },
  {
    codes: ["ERR_TLS_CERT_ALTNAME_INVALID"],
    summary: (names) => `its certificate is for another host${names && ` (${names})`}`,
    subject: /(?:altnames|list): +((?:DNS|IP)[^;]*)$/,
    retryable: false,
    remedy: 'use a host name of the certificate in its "url", or give the server another certificate',
  },
  {
    codes: ["ERR_SSL_WRONG_VERSION_NUMBER", "EPROTO", "ERR_SSL_PACKET_LENGTH_TOO_LONG"],
    summary: () => "its port does not speak TLS",
    retryable: false,
    remedy: 'use http:// instead of https:// in its "url", or correct the port',
  },
  {
    pattern: /does not match the HTTP\/1.1 protocol|^Parse Error/,
    summary: () => "its port does not speak HTTP",
    retryable: false,
    remedy: 'correct the port in its "url"',
  },
  {
    pattern:
      /^(SSE error: )?((Unexpected|Invalid) content type|Server sent HTTP 204|Non-200 status code \(2)/,
    summary: (type) => `it answered with ${type || "something else"} instead of an MCP message`,
    subject: /^Unexpected content type: ([\w./+-]+)/,
    ...WRONG_ADDRESS,
    remedy: 'check that its "url" points to an MCP server; many end in /mcp or /sse',
  },
  {
    pattern: /^\s*\[\s*\{\s*"(code|expected)":/,
    summary: () => "it answered with JSON that is not an MCP message",
    ...WRONG_ADDRESS,
    remedy: 'check that its "url" points to an MCP server; many end in /mcp or /sse',
  },
];

/** Other certificate errors, such as `UNABLE_TO_VERIFY_LEAF_SIGNATURE`. */
const CERTIFICATE = /^(CERT|DEPTH|SELF_SIGNED|UNABLE_TO)_/;
const UNTRUSTED: NetworkFailure = {
  summary: "its certificate was issued by an authority that this machine does not trust",
  retryable: false,
  canReturn: false,
  remedy: `${TRUST} the certificate of that authority`,
};

/** The meaning of an error; undefined if it is not a network error. */
export function networkFailure({ code, message }: Symptoms): NetworkFailure | undefined {
  const row = ROWS.find(
    ({ codes = [], pattern }) => (code !== undefined && codes.includes(code)) || pattern?.test(message),
  );
  if (!row) return code !== undefined && CERTIFICATE.test(code) ? UNTRUSTED : undefined;
  const { summary, subject, retryable, canReturn = false, remedy } = row;
  return { summary: summary(subject?.exec(message)?.[1] ?? ""), retryable, canReturn, remedy };
}

/** SDK phrases before the actual reason that mean nothing to a user. */
const JARGON =
  /^(Version negotiation (probe )?failed: |SSE error: |TypeError: |fetch failed:? ?|Error POSTing to endpoint:? ?|Failed to open SSE stream:? ?|the server answered the probe with |Non-200 status code \(\d+\))/;

/** An SDK message without its jargon; empty if nothing is left. */
export function withoutJargon(message: string): string {
  const rest = message.replace(JARGON, "");
  return rest === message ? message : withoutJargon(rest);
}
