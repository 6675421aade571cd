// Runs one client in its own process and measures it from inside. The parent sends what to do and gets the figures.
//   node drive.mjs CLIENT.mjs
import { pathToFileURL } from "node:url";

const client = await import(pathToFileURL(process.argv[2]).href);
const TEXT = "x".repeat(64);
let connected;

const ACTIONS = {
  connect: async ({ target }) => {
    connected = await client.connect(target);
    return { pid: connected.pid };
  },
  /** Calls one after another. The median time of one: a call during which another program ran does not count. */
  median: async ({ calls }) => {
    const times = [];
    for (let left = calls; left > 0; left--) {
      const start = performance.now();
      check(await connected.call("echo", { text: TEXT }));
      times.push(performance.now() - start);
    }
    return { ms: times.sort((a, b) => a - b)[Math.floor(calls / 2)] };
  },
  /** Calls with this many in flight. */
  call: async ({ calls, inFlight }) => {
    const lane = async () => {
      for (let left = calls / inFlight; left > 0; left--) check(await connected.call("echo", { text: TEXT }));
    };
    return measured(() => Promise.all(Array.from({ length: inFlight }, lane)));
  },
  huge: ({ bytes }) => measured(async () => check(await connected.call("huge", { bytes }))),
  /** Lists again over the same connection. */
  list: ({ times, count }) =>
    measured(async () => {
      for (let left = times; left > 0; left--) expect(await connected.list(), count);
    }),
  /** Starts a server and lists its tools. */
  listed: async ({ target, count }) => {
    let opened;
    const figures = await measured(async () => (opened = await client.listed(target)));
    expect(opened.count, count);
    await opened.close();
    return figures;
  },
  mount: async ({ target }) => {
    let opened;
    const figures = await measured(async () => (opened = await client.mount(target)));
    await opened.close();
    return figures;
  },
  close: async () => {
    await connected?.close();
    return {};
  },
};

async function measured(work) {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { ms, cpuMs: (user + system) / 1000 };
}

/** Works for a result of MCP and for an outcome of ours. */
function check(result) {
  if (result.isError) throw new Error(`a call failed: ${JSON.stringify(result).slice(0, 300)}`);
}

function expect(found, wanted) {
  if (found !== wanted) throw new Error(`${found} tools were listed instead of ${wanted}`);
}

process.on("message", async ({ action, ...options }) => {
  if (action === undefined) return; // For `counted.mjs`.
  try {
    process.send(await ACTIONS[action](options));
    if (action === "close") process.disconnect();
  } catch (thrown) {
    process.send({ failed: String(thrown?.stack ?? thrown) });
  }
});
process.channel.ref(); // Whatever `counted.mjs` said.
process.send({});
