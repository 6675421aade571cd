/** A node that may be dropped. */
export interface SizedNode {
  readonly session: string;
  readonly node: string;
  /** In milliseconds since the Unix epoch. */
  readonly at: number;
  /** Sizes of the contents that it needs, by hash. */
  readonly contents: ReadonlyMap<string, number>;
  /** The node is in use, or belongs to a session in use. */
  readonly isHeld: boolean;
}

export interface StoreLimits {
  /** Nodes that began before this time are dropped. In milliseconds since the Unix epoch. */
  readonly oldestAt: number;
  /** The maximum size of contents in all sessions together. */
  readonly maxBytes: number;
}

/**
 * Chooses the nodes to drop, oldest first, to bring the rest within the limits. Drops only the oldest nodes of a session: a
 * rewind to a later node needs none of them. Keeps a node that is held, with all later nodes of its session.
 */
export function chooseDropped(nodes: readonly SizedNode[], limits: StoreLimits): SizedNode[] {
  const inOrder = [...nodes].sort((a, b) => a.at - b.at);
  const users = countUsers(nodes);
  let bytes = [...users.values()].reduce((sum, { size }) => sum + size, 0);
  const isBlocked = new Set<string>();
  const dropped: SizedNode[] = [];
  for (const node of inOrder) {
    if (node.isHeld) isBlocked.add(node.session);
    if (isBlocked.has(node.session)) continue;
    if (node.at >= limits.oldestAt && bytes <= limits.maxBytes) continue;
    dropped.push(node);
    for (const hash of node.contents.keys()) {
      const used = users.get(`${node.session} ${hash}`);
      if (used && --used.count === 0) bytes -= used.size;
    }
  }
  return dropped;
}

/** Contents are shared by the nodes of one session only. */
function countUsers(nodes: readonly SizedNode[]): Map<string, { count: number; readonly size: number }> {
  const users = new Map<string, { count: number; readonly size: number }>();
  for (const { session, contents } of nodes)
    for (const [hash, size] of contents) {
      const key = `${session} ${hash}`;
      const used = users.get(key) ?? { count: 0, size };
      used.count += 1;
      users.set(key, used);
    }
  return users;
}
