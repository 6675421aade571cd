import { once } from "node:events";
import { createServer } from "node:net";

// Below the ports that systems give to outgoing connections: one of those could take it before the program does, or while the program is
// being started again.
const FIRST = 10_000;
const LAST = 32_000;
const MOST_TRIES = 100;

/** A port that was free a moment ago, for programs that cannot choose one themselves. */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries++) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    const probe = createServer().listen(port, "127.0.0.1");
    try {
      await once(probe, "listening");
    } catch (thrown) {
      if (tries === MOST_TRIES) throw thrown;
      continue;
    }
    probe.close();
    await once(probe, "close");
    return port;
  }
}
