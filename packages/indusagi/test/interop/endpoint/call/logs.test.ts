import { verifies } from "@indus/testkit";
import {
  createProviderHost,
  createServerEndpoint,
  type EndpointOptions,
  type EraMemory,
  linkedTransports,
  mountProtocolBridge,
  type ProtocolEra,
  type ServerEndpoint,
  serveHttp,
} from "indusagi/interop";
import { type Caller, type LogEntry, textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { boxOf } from "../../host/box-of.ts";

const ERAS = ["legacy", "modern"] as const;
const LINKS = ["http", "linked"] as const;

/** Logs its text when as many calls as asked for are running. */
function loggingHost(): ReturnType<typeof createProviderHost> {
  let running = 0;
  return createProviderHost(
    boxOf({
      logs: async ({ input }, _signal, caller) => {
        const { text, together = 1 } = input as { readonly text: string; readonly together?: number };
        running += 1;
        await expect.poll(() => running, { interval: 5 }).toBeGreaterThanOrEqual(together);
        caller?.log?.({ level: "warning", logger: "tool", data: { text } });
        await new Promise((resolve) => setTimeout(resolve, 50)); // All log messages arrive before the first answer.
        return textResult(text);
      },
    }),
  );
}

interface OpenEndpoint extends AsyncDisposable {
  readonly endpoint: ServerEndpoint;
  /** What the endpoint's own log got. */
  readonly rest: [string, LogEntry][];
}

function erasOf(era: ProtocolEra): { readonly eras?: EraMemory } {
  return era === "legacy" ? { eras: { recall: () => "legacy", remember: () => {} } } : {};
}

async function opened(era: ProtocolEra, link: (typeof LINKS)[number]): Promise<OpenEndpoint> {
  const host = loggingHost();
  const rest: [string, LogEntry][] = [];
  const options: EndpointOptions = {
    ...erasOf(era),
    onLog: (server, entry) => void rest.push([server, entry]),
  };
  const listener = link === "http" ? await serveHttp(host, { port: 0 }) : undefined;
  const [ours, theirs] = linkedTransports();
  if (!listener) await host.connect(theirs);
  const endpoint = listener
    ? createServerEndpoint({ kind: "streamable-http", id: "up", url: listener.url }, undefined, options)
    : createServerEndpoint({ kind: "stdio", id: "up", command: "unused" }, ours, options);
  await endpoint.open();
  return {
    endpoint,
    rest,
    [Symbol.asyncDispose]: async () => {
      await endpoint.close();
      await listener?.close();
    },
  };
}

interface TestCaller extends Caller {
  readonly texts: string[];
}

function callerOf(key: string): TestCaller {
  const texts: string[] = [];
  return {
    key,
    texts,
    can: {},
    log: ({ level, logger, data }) => {
      expect({ level, logger }).toEqual({ level: "warning", logger: "tool" });
      texts.push((data as { readonly text: string }).text);
    },
  };
}

for (const era of ERAS)
  for (const link of LINKS) {
    verifies("endpoint:logs", `${era}, ${link}: the only caller gets each log message once`, async () => {
      await using up = await opened(era, link);
      const caller = callerOf("a");
      const texts = ["1", "2", "3"];
      await Promise.all(
        texts.map((text) => up.endpoint.invoke("logs", { text, together: 3 }, { caller: { ...caller } })),
      );
      expect(caller.texts.sort()).toEqual(texts);
      expect(up.rest).toEqual([]);
    });

    verifies("endpoint:logs", `${era}, ${link}: no caller gets a log message of another`, async () => {
      await using up = await opened(era, link);
      const callers = [callerOf("a"), callerOf("b")];
      await Promise.all(
        callers.map((caller) => up.endpoint.invoke("logs", { text: caller.key, together: 2 }, { caller })),
      );
      const rest = up.rest
        .map(([server, { data }]) => [server, (data as { readonly text: string }).text])
        .sort();
      // Over HTTP each log message arrives on the stream of its call.
      expect(callers.map(({ texts }) => texts)).toEqual(link === "http" ? [["a"], ["b"]] : [[], []]);
      expect(rest).toEqual(
        link === "http"
          ? []
          : [
              ["up", "a"],
              ["up", "b"],
            ],
      );
    });

    verifies(
      "endpoint:logs",
      `${era}, ${link}: without a caller the endpoint's own log gets it`,
      async () => {
        await using up = await opened(era, link);
        await up.endpoint.invoke("logs", { text: "own" });
        const entry = { level: "warning", logger: "tool", data: { text: "own" } };
        expect(up.rest).toEqual([["up", entry]]);
      },
    );
  }

for (const upstreamEra of ERAS)
  for (const era of ERAS) {
    verifies(
      "endpoint:logs",
      `a ${era} client of our host gets log messages of a ${upstreamEra} server`,
      async () => {
        const row = { kind: "stdio", id: "up", command: "unused" } as const;
        const upstream = loggingHost();
        const rest: unknown[] = [];
        const transport = () => {
          const [ours, theirs] = linkedTransports();
          void upstream.connect(theirs);
          return ours;
        };
        const options = {
          ...erasOf(upstreamEra),
          transport,
          onLog: (...got: unknown[]) => void rest.push(got),
        };
        const { box, fleet } = await mountProtocolBridge({ servers: [row] }, options);
        const [ours, theirs] = linkedTransports();
        const running = await createProviderHost(box).connect(theirs);
        const client = createServerEndpoint({ ...row, id: "host" }, ours, erasOf(era));
        try {
          await client.open();
          const caller = callerOf("client");
          await client.invoke("up__logs", { text: "through" }, { caller });
          expect({ texts: caller.texts, rest }).toEqual({ texts: ["through"], rest: [] });
        } finally {
          await client.close();
          await running.cancel();
          await fleet.tearDown();
        }
      },
    );
  }
