import { CoreError, settlesWithin } from "../../core/index.ts";
import type { CallerAbilities, Questions } from "../../runtime/index.ts";
import type { ClientObserver, ConnectedClient, QuestionAnswerer, ServerFleet } from "../contract/index.ts";

export interface ClientLinkOptions {
  /**
   * True if the host has at most one client, as over stdio: it gets every question of every server. Otherwise a server gets
   * answers outside of calls only if it runs for a single client.
   */
  readonly isOnlyClient: boolean;
  /** How long a question waits for the only client to connect. Default 30 s. */
  readonly waitMs?: number;
}

/** The questions of a server as one client gets them. */
type ShownQuestions = (server: string, questions: Questions, client: ConnectedClient) => Questions;

interface LinkedClient {
  readonly client: ConnectedClient;
  readonly shown: ShownQuestions | undefined;
}

/** Connects the clients of a host with the servers of a fleet, outside of calls. */
export interface ClientLink {
  /** For the host. */
  readonly observer: ClientObserver;
  /** The same for a host that renames resources: its clients get the questions that `shown` returns. */
  observerOf(shown: ShownQuestions): ClientObserver;
  /** For the fleet. */
  readonly answers: QuestionAnswerer;
  /** Sets the fleet, which was created with `answers`. */
  attach(fleet: ServerFleet): void;
}

/** The clients are not known when servers start. A question that its client cannot answer is declined. */
const ABILITIES: CallerAbilities = { elicit: { form: true, url: true }, sample: {}, roots: true };
const WAIT_MS = 30_000;

export function createClientLink({ isOnlyClient, waitMs = WAIT_MS }: ClientLinkOptions): ClientLink {
  const clients = new Map<string, LinkedClient>();
  let fleet: ServerFleet | undefined;
  let connected = (): void => {};
  const first = new Promise<void>((resolve) => (connected = resolve));
  const clientFor = async (
    owner: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<LinkedClient | undefined> => {
    if (owner !== undefined) return clients.get(owner);
    if (!isOnlyClient) return undefined;
    await settlesWithin(first, waitMs, { signal });
    return [...clients.values()].at(-1);
  };
  const observerOf = (shown: ShownQuestions | undefined): ClientObserver => ({
    connected: (client) => {
      clients.set(client.key, { client, shown });
      connected();
    },
    disconnected: ({ key }) => {
      clients.delete(key);
      void fleet?.endClient(key);
    },
    rootsChanged: ({ key }) => fleet?.rootsChanged(isOnlyClient ? undefined : key),
  });
  return {
    observer: observerOf(undefined),
    observerOf,
    answers: {
      can: ABILITIES,
      ask: async (requests, signal, asker) => {
        const linked = await clientFor(asker?.owner, signal);
        if (!linked)
          throw new CoreError("unable", "it belongs to no call, and several clients share the server");
        const { client, shown } = linked;
        return client.ask(asker && shown ? shown(asker.server, requests, client) : requests, signal);
      },
    },
    attach: (made) => {
      fleet = made;
    },
  };
}
