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
  /** Gives NATS now the messages that wait for others. */
  flush(): void;
}

type ExchangeLinkOptions = Omit<LinkOptions, "publish" | "soon">;

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
  const waiting = new WaitingLinks();
  const prefix = subjects.link(role, id, "");
  const unreadPrefix = subjects.unread(role, id, "");
  const take = (message: Msg): void => {
    const { subject } = message;
    if (subject.startsWith(prefix)) {
      const link = links.get(subject.slice(prefix.length));
      if (link) link.take(message.data);
      else if (message.reply) nats.publish(linkOfSender(message.reply), END_FRAME);
    } else if (subject.startsWith(unreadPrefix)) {
      const [link = "", number] = subject.slice(unreadPrefix.length).split(".");
      if (message.headers?.code === NO_RESPONDERS) links.get(link)?.unread(Number(number));
    } else onMessage?.(message);
  };
  const subscription = nats.subscribe(subjects.all(role, id), {
    callback: (error, message) => {
      if (error) return;
      try {
        take(message);
      } catch {
        // No message of ours. The client library would stop reading, and say so on standard output. Only its link ends.
        void links.get(message.subject.slice(prefix.length))?.close();
      }
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
        publish: (frame, number) =>
          nats.publish(to, frame, number === 0 ? undefined : { reply: `${unread}.${number}` }),
        soon: (sendWaiting, isQuiet) => waiting.add(sendWaiting, isQuiet),
        onEnd: () => {
          links.delete(link);
          options.onEnd?.();
        },
      });
      links.set(link, made);
      return made;
    },
    flush: () => waiting.flush(),
    [Symbol.dispose]: () => {
      stopWatching();
      waiting.flush();
      subscription.unsubscribe();
    },
  };
}

/** How many turns of the event loop messages may wait for others. Turns in which nothing happens take microseconds. */
const MOST_TURNS = 8;

/**
 * Links with messages on their way to NATS. With many calls in flight, a write of its own for each was a quarter of the processor time of
 * a gateway. So messages of several turns of the event loop go at once: of as many turns as there were messages last time. A turn costs a
 * call that is alone a tenth of its time: on a quiet link such a message is sent when the code that runs now has ended.
 */
class WaitingLinks {
  #links: (() => number)[] = [];
  #turns = 1;

  add(sendWaiting: () => number, isQuiet: boolean): void {
    if (this.#links.push(sendWaiting) > 1) return;
    if (isQuiet && this.#turns === 1) process.nextTick(() => this.flush());
    else this.#flushAfter(this.#turns);
  }

  flush(): void {
    const links = this.#links;
    this.#links = [];
    const messages = links.reduce((sum, sendWaiting) => sum + sendWaiting(), 0);
    this.#turns = Math.min(MOST_TURNS, Math.max(1, messages));
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
