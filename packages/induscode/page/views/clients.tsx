import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ConnectedClient } from "../../src/console/contract.ts";
import { clock, count, percent, short, wholeTime } from "../figures.ts";
import { Command } from "../parts/command.tsx";
import { type Column, Grid } from "../parts/grid.tsx";
import { linkTo } from "../route.ts";
import { clients } from "../store.ts";
import { Code, Said } from "../text.tsx";
import { clientName } from "./overview.tsx";

const COLUMNS: readonly Column<ConnectedClient>[] = [
  {
    key: "name",
    title: "Program",
    width: "minmax(8rem, 1.6fr)",
    show: (client) => (
      <span class={client.isConnected ? "state good" : "state off"}>
        <svg class="mark" viewBox="0 0 10 10" aria-hidden="true">
          <circle cx="5" cy="5" r={client.isConnected ? 4 : 3.4} class={client.isConnected ? "" : "stroke"} />
        </svg>
        <Said>{clientName(client)}</Said>
        {!client.isConnected && <span class="sr">(gone)</span>}
      </span>
    ),
  },
  {
    key: "route",
    title: "Route",
    width: "minmax(5rem, 1fr)",
    fromPx: 420,
    show: ({ route }) => <Said>{route}</Said>,
  },
  { key: "transport", title: "Transport", width: "5.5rem", fromPx: 560, show: ({ transport }) => transport },
  { key: "era", title: "Protocol", width: "5rem", fromPx: 640, show: ({ era }) => era },
  {
    key: "token",
    title: "Token",
    width: "minmax(5rem, 0.8fr)",
    fromPx: 720,
    show: ({ principal }) => <Said>{principal ?? "-"}</Said>,
  },
  { key: "tools", title: "Tools", width: "4rem", isNumber: true, show: ({ cost }) => count(cost.listed) },
  {
    key: "tokens",
    title: "Tokens",
    width: "4.5rem",
    isNumber: true,
    fromPx: 340,
    show: ({ cost }) => short(cost.listedTokens),
  },
  {
    key: "since",
    title: "Last seen",
    width: "7.5rem",
    fromPx: 850,
    show: ({ lastSeen, since }) => {
      const at = lastSeen ?? since;
      return at === undefined ? "-" : <time title={wholeTime(at)}>{clock(at)}</time>;
    },
  },
];

/** Who is connected, and what each of them sees. */
export function Clients(): JSX.Element {
  const [id, setId] = useState<string | undefined>(undefined);
  const client = clients.value.find((one) => one.id === id);
  return (
    <div class="view fill">
      <h1>Clients</h1>
      <div class={client ? "split open" : "split"}>
        <div class="split-list">
          <Grid
            label="Clients"
            rows={clients.value}
            columns={COLUMNS}
            keyOf={(one) => one.id}
            opened={id}
            onOpen={(one) => setId(one.id)}
            empty={
              <>
                <p>No client is connected. Put this gateway into a program you use:</p>
                <Command line="indus connect cursor" />
                <p>
                  <a href={linkTo("setup", ["clients"])}>See the programs that can be connected</a>
                </p>
              </>
            }
          />
        </div>
        {client && <Detail client={client} onClose={() => setId(undefined)} />}
      </div>
    </div>
  );
}

function Detail({
  client,
  onClose,
}: {
  readonly client: ConnectedClient;
  readonly onClose: () => void;
}): JSX.Element {
  const { name, version, era, transport, route, principal, since, lastSeen, cost, servers } = client;
  const facts: readonly (readonly [string, string])[] = [
    ["Version", version ?? "not given"],
    ["Protocol", era],
    ["Transport", transport],
    ["Route", route],
    ["Token", principal ?? "none"],
    ["Connected", since === undefined ? "-" : wholeTime(since)],
    ["Last seen", lastSeen === undefined ? "-" : wholeTime(lastSeen)],
    ["Tools it may use", count(cost.tools)],
    ["Tools it lists", `${count(cost.listed)} (${cost.mode})`],
    ["Cost of the list", `${count(cost.listedTokens)} tokens`],
    [
      "With the search",
      `${count(cost.searchTokens)} tokens${cost.listedTokens > cost.searchTokens ? `, ${percent(cost.listedTokens - cost.searchTokens, cost.listedTokens)} less` : ""}`,
    ],
  ];
  return (
    <article class="split-detail" aria-label="The client">
      <div class="detail-head">
        <h2>
          <Said>{name}</Said>
        </h2>
        <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </div>
      <p class="muted">The name and version are what the program claims.</p>
      <dl class="facts-list">
        {facts.map(([title, value]) => (
          <div key={title} class="fact">
            <dt>{title}</dt>
            <dd>
              <Said>{value}</Said>
            </dd>
          </div>
        ))}
      </dl>
      <div class="actions">
        <a class="button" href={linkTo("calls", [], { client: name })}>
          Its calls
        </a>
      </div>
      <h3>Servers it sees</h3>
      {servers.length === 0 ? (
        <p class="muted">None.</p>
      ) : (
        <ul class="chips">
          {servers.map((server) => (
            <li key={server}>
              <a href={linkTo("servers", [server])}>
                <Code>{server}</Code>
              </a>
            </li>
          ))}
        </ul>
      )}
    </article>
  );
}
