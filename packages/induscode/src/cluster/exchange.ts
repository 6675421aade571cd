import type { Msg, NatsConnection } from "@nats-io/transport-node";
import type { NodeRole } from "./contract.ts";
import { subjects } from "./contract.ts";
import { END_FRAME, type LinkOptions, NatsLink } from "./link.ts";

/** The links of one node, and what NATS brings for them. */
export interface Exchange extends Disposable {
  /** A link to another node. Both ends use the same id. */
  link(
    id: string,
    peer: { readonly role: NodeRole; readonly id: string },
    options: ExchangeLinkOptions,
  ): NatsLink;
  readonly links: ReadonlyMap<string, NatsLink>;
  /** Gives NATS now what links have sent in this turn of the event loop. */
  flush(): void;
}

type ExchangeLinkOptions = Omit<LinkOptions, "publish">;

export interface ExchangeOptions {
  readonly role: NodeRole;
  readonly id: string;
  /** Gets every message that is not of a link. */
  readonly onMessage?: ((message: Msg) => void) | undefined;
}

const NO_RESPONDERS = 503;

/** Reads everything that is addressed to a node. */
export function openExchange(nats: NatsConnection, { role, id, onMessage }: ExchangeOptions): Exchange {
  const links = new Map<string, NatsLink>();
  const frames = new OutgoingFrames(nats);
  const prefix = subjects.link(role, id, "");
  const unreadPrefix = subjects.unread(role, id, "");
  const subscription = nats.subscribe(subjects.all(role, id), {
    callback: (error, message) => {
      if (error) return;
      const { subject } = message;
      if (subject.startsWith(prefix)) {
        const link = links.get(subject.slice(prefix.length));
        if (link) link.take(message.data);
        else if (message.reply) nats.publish(linkOfSender(message.reply), END_FRAME);
      } else if (subject.startsWith(unreadPrefix)) {
        const [link = "", number] = subject.slice(unreadPrefix.length).split(".");
        if (message.headers?.code === NO_RESPONDERS) links.get(link)?.unread(Number(number));
      } else onMessage?.(message);
    },
  });
  const stopWatching = onReconnect(nats, () => {
    for (const link of links.values()) link.sendAgain();
  });
  return {
    links,
    link: (link, peer, options) => {
      const to = subjects.link(peer.role, peer.id, link);
      const unread = subjects.unread(role, id, link);
      const made = new NatsLink({
        ...options,
        publish: (frame, number) => frames.add(to, frame, number === 0 ? undefined : `${unread}.${number}`),
        onEnd: () => {
          links.delete(link);
          options.onEnd?.();
        },
      });
      links.set(link, made);
      return made;
    },
    flush: () => frames.flush(),
    [Symbol.dispose]: () => {
      stopWatching();
      frames.flush();
      subscription.unsubscribe();
    },
  };
}

/** How many turns of the event loop frames may wait for others. Turns in which nothing happens take microseconds. */
const MOST_TURNS = 8;

/**
 * Frames on their way to NATS. The client library writes to its socket after each task, which with many calls in flight took a quarter of
 * the processor time of a gateway. So frames of several turns of the event loop are written at once: of as many turns as the last
 * write had frames, so one that is alone does not wait.
 */
class OutgoingFrames {
  readonly #nats: NatsConnection;
  #waiting: (readonly [to: string, frame: Uint8Array, reply: string | undefined])[] = [];
  #turns = 1;

  constructor(nats: NatsConnection) {
    this.#nats = nats;
  }

  add(to: string, frame: Uint8Array, reply: string | undefined): void {
    if (this.#waiting.push([to, frame, reply]) === 1) this.#flushAfter(this.#turns);
  }

  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#turns = Math.min(MOST_TURNS, Math.max(1, waiting.length));
    for (const [to, frame, reply] of waiting)
      try {
        this.#nats.publish(to, frame, reply === undefined ? undefined : { reply });
      } catch {
        return; // The connection is closed, or there is none now: links send again what is not acknowledged.
      }
  }

  #flushAfter(turns: number): void {
    setImmediate(() => (turns > 1 ? this.#flushAfter(turns - 1) : this.flush()));
  }
}

/** A frame for a link that has ended here: its sender did not notice. */
function linkOfSender(unread: string): string {
  const [root, role, id, , link] = unread.split(".");
  return [root, role, id, "l", link].join(".");
}

/** Calls the listener whenever a lost connection is there again. Returns a function that stops it. */
function onReconnect(nats: NatsConnection, listener: () => void): () => void {
  const statuses = nats.status();
  let isOver = false;
  void (async () => {
    for await (const { type } of statuses) {
      if (isOver) return;
      if (type === "reconnect") listener();
    }
  })();
  return () => {
    isOver = true;
    (statuses as { stop?: () => void }).stop?.();
  };
}
