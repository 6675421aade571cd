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
        publish: (frame, number) =>
          nats.publish(to, frame, number === 0 ? {} : { reply: `${unread}.${number}` }),
        onEnd: () => {
          links.delete(link);
          options.onEnd?.();
        },
      });
      links.set(link, made);
      return made;
    },
    [Symbol.dispose]: () => {
      stopWatching();
      subscription.unsubscribe();
    },
  };
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
