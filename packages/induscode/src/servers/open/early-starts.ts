import { type ProcessTree, safeEnvironment, startTree, type TreeOptions } from "indusagi/core";
import { installedPackage, type ServerConfig } from "indusagi/interop";

type StdioConfig = ServerConfig & { readonly kind: "stdio" };

/** Server processes that start before the code that connects to them is loaded. */
export interface EarlyStarts extends AsyncDisposable {
  /** How many were started. */
  readonly count: number;
  /** Hands over the process that was started with the same launch, once, or starts one. */
  readonly startTree: typeof startTree;
}

/**
 * Starts the processes of servers that would be the first to get a slot, at once: loading the code that connects takes as long as a
 * process needs to boot. Only rows that are approved, enabled and complete, and only if all of them fit into the slots, because
 * otherwise the queue decides who is first. A launch that may install a package waits for the queue, which runs few of those at a
 * time. Resolves when they run. What nobody takes is ended with it.
 */
export async function startEarly(servers: readonly ServerConfig[], slots: number): Promise<EarlyStarts> {
  const processes = servers.filter((server) => server.kind === "stdio");
  const waiting = processes.length <= slots ? processes.filter(mayStartNow).map(startOf) : [];
  // Until they run: what is loaded next would keep this thread from starting them.
  await Promise.all(waiting.map((start) => start.begun));
  return {
    count: waiting.length,
    startTree: (command, args, options) => {
      const at = waiting.findIndex((start) => start.key === keyOf(command, args, options));
      const [start] = at === -1 ? [] : waiting.splice(at, 1);
      return start ? start.handOver(options) : startTree(command, args, options);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(waiting.splice(0).map((start) => start.end()));
    },
  };
}

function mayStartNow(server: StdioConfig): boolean {
  return (
    !server.pending &&
    server.enabled !== false &&
    server.fromCommand === undefined &&
    (server.share ?? "fleet") === "fleet" &&
    installedPackage(server) === undefined
  );
}

interface EarlyStart {
  readonly key: string;
  /** Resolves when its process runs, or could not be started. */
  readonly begun: Promise<unknown>;
  handOver(options: TreeOptions): Promise<ProcessTree>;
  end(): Promise<void>;
}

function startOf({ command, args = [], env, cwd }: StdioConfig): EarlyStart {
  const early: EarlyOutput[] = [];
  let receiver: TreeOptions | undefined;
  let received = (): void => {};
  // Until then nothing more is read: a flood waits in the pipe.
  const taken = new Promise<void>((resolve) => (received = resolve));
  const receive = (output: EarlyOutput): void | Promise<void> => {
    if (receiver) return deliver(receiver, output);
    early.push(output);
    return taken;
  };
  const launch = { env: safeEnvironment(env), ...(cwd === undefined ? {} : { cwd }) };
  const started = startTree(command, args, {
    ...launch,
    stdin: "pipe",
    onStdout: (chunk) => receive({ stream: "onStdout", chunk }),
    onStderr: (chunk) => receive({ stream: "onStderr", chunk }),
    onStdoutEnd: () => void receive({ stream: "onStdoutEnd" }),
  });
  return {
    key: keyOf(command, args, launch),
    begun: started.catch(() => {}), // Reported to the one that takes it.
    handOver: async (options) => {
      const tree = await started;
      // After the caller has the tree, because it may write an answer to what it gets.
      setImmediate(() => {
        receiver = options;
        for (const output of early.splice(0)) void deliver(options, output);
        received();
      });
      return tree;
    },
    end: async () => {
      received();
      await (await started.catch(() => undefined))?.end();
    },
  };
}

type EarlyOutput =
  | { readonly stream: "onStdout" | "onStderr"; readonly chunk: Buffer }
  | { readonly stream: "onStdoutEnd" };

function deliver(options: TreeOptions, output: EarlyOutput): void | Promise<void> {
  return output.stream === "onStdoutEnd" ? options.onStdoutEnd?.() : options[output.stream]?.(output.chunk);
}

/** The same launch starts the same program. */
function keyOf(command: string, args: readonly string[], { env, cwd }: TreeOptions): string {
  return JSON.stringify([
    command,
    args,
    cwd ?? null,
    Object.keys(env)
      .toSorted(byText)
      .map((name) => [name, env[name]]),
  ]);
}

function byText(one: string, other: string): number {
  return one < other ? -1 : 1;
}
