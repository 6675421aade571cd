import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { CoreError, joinSignals, showDuration } from "indusagi/core";
import {
  AuthError,
  createServerEndpoint,
  type LoginInteraction,
  type LoginStatus,
  type OAuthProvider,
  oauthProviderFor,
  type ServerConfig,
  type TokenStore,
} from "indusagi/interop";
import { openCallbackListener } from "./callback-listener.ts";
import { openBrowser } from "./open-browser.ts";

export interface LogInOptions {
  readonly config: ServerConfig;
  readonly store: TokenStore;
  /** Shows the URL and what to do. */
  readonly show: (url: URL, isOpened: boolean) => void;
  /** False: do not open a browser. */
  readonly useBrowser: boolean;
  /** Where the user can paste the URL that a browser on another machine was redirected to. */
  readonly input: Readable;
  /** How long to wait for the user. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** See `OAuthProviderOptions`. */
  readonly note?: (message: string) => void;
  /** Replaced by tests. */
  readonly open?: (url: URL) => Promise<boolean>;
}

export interface LogInResult {
  /** Undefined: the server does not need a login, and there is none. */
  readonly status: LoginStatus | undefined;
}

/** Time for the requests before and after the user's part. */
const REQUESTS_MS = 60_000;

/**
 * Logs in to a server: connects to it, and lets the user log in when the server asks for it. So a stored login is known to
 * work.
 */
export async function logIn(options: LogInOptions): Promise<LogInResult> {
  const { config, store, timeoutMs, signal, note } = options;
  const { callbackHost: host, callbackPort: port } = settingsOf(config);
  const known = oauthProviderFor(config, { store });
  const preferredPort = portIn(await known?.registeredRedirect());
  await using listener = await openCallbackListener({ host: host || undefined, port, preferredPort });
  const over = new AbortController();
  let wasAsked = false;
  const interaction: LoginInteraction = {
    redirectUrl: listener.redirectUrl,
    authorize: async (url) => {
      wasAsked = true;
      const deadline = AbortSignal.timeout(timeoutMs);
      const ends = joinSignals(deadline, signal, over.signal);
      const state = url.searchParams.get("state") ?? "";
      // Before the browser opens: if the user is already signed in there, the answer comes at once.
      const answer = Promise.race([
        listener.answerFor(state, ends),
        pastedAnswer(options.input, state, ends),
      ]);
      answer.catch(() => {});
      try {
        options.show(url, options.useBrowser && (await (options.open ?? openBrowser)(url)));
        return await answer;
      } catch (thrown) {
        if (!deadline.aborted) throw thrown;
        throw new AuthError("denied", `no answer within ${showDuration(timeoutMs)}`, {
          cause: thrown,
        });
      } finally {
        over.abort();
      }
    },
  };
  const provider = oauthProviderFor(config, { store, interaction, relogin: true, ...(note && { note }) });
  if (!provider) throw new CoreError("no_login", noLogin(config));
  await connectOnce(config, provider, options);
  return { status: wasAsked ? await provider.status() : await offeredLogin(provider) };
}

/**
 * The answer in a URL that the user pastes: a browser on another machine is redirected to localhost, where we are not. Other
 * lines are ignored. Never resolves if the input ends.
 */
function pastedAnswer(input: Readable, state: string, signal: AbortSignal): Promise<URLSearchParams> {
  return new Promise((resolve) => {
    const lines = createInterface({ input, terminal: false });
    const stop = (): void => lines.close();
    signal.addEventListener("abort", stop, { once: true });
    lines.on("line", (line) => {
      const answer = answerIn(line.trim(), state);
      if (!answer) return;
      stop();
      resolve(answer);
    });
  });
}

function answerIn(line: string, state: string): URLSearchParams | undefined {
  if (!URL.canParse(line)) return undefined;
  const { searchParams } = new URL(line);
  return searchParams.get("state") === state ? searchParams : undefined;
}

async function connectOnce(
  config: ServerConfig,
  auth: OAuthProvider,
  { timeoutMs, signal }: LogInOptions,
): Promise<void> {
  const connectMs = timeoutMs + REQUESTS_MS;
  const timed = { ...config, timeouts: { ...config.timeouts, connectMs } };
  const endpoint = createServerEndpoint(timed, undefined, { auth });
  try {
    await endpoint.open(signal);
    await endpoint.listTools();
  } finally {
    await endpoint.close();
  }
}

/** Some servers work without a login and offer more with one. */
async function offeredLogin(provider: OAuthProvider): Promise<LoginStatus | undefined> {
  try {
    return await provider.login();
  } catch (thrown) {
    if (thrown instanceof AuthError && thrown.kind === "failed") return undefined;
    throw thrown;
  }
}

function settingsOf(config: ServerConfig): {
  readonly callbackHost?: string;
  readonly callbackPort?: number;
} {
  return (config.kind !== "stdio" && config.oauth) || {};
}

/** Why there is nothing to log in to. */
function noLogin(config: ServerConfig): string {
  const { id } = config;
  if (config.kind === "stdio") return `server "${id}" is a process on this machine and has no login here`;
  if (config.oauth === false) return `server "${id}" has "oauth": false in its row; remove it to log in`;
  return `server "${id}" has an Authorization header in its row, which is used as it is; remove it to log in`;
}

function portIn(redirectUrl: string | undefined): number | undefined {
  return redirectUrl === undefined ? undefined : Number(new URL(redirectUrl).port) || undefined;
}
