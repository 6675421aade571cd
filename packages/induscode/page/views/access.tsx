import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { TokenMade, TokenRequest, TokenShown } from "../../src/console/contract.ts";
import { clock, wholeTime } from "../figures.ts";
import { Command, Copy } from "../parts/command.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Showing, useLoaded } from "../parts/loaded.tsx";
import { act } from "../parts/notices.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { request } from "../request.ts";
import { linkTo, route } from "../route.ts";
import { Code, plain, Said } from "../text.tsx";
import { CallSearch } from "./calls.tsx";

/** Who may use the gateway, and who used it. */
export function Access(): JSX.Element {
  const tab = route.value.parts[0] ?? "tokens";
  const head = (
    <header class="view-head">
      <h1>Access</h1>
      <Tabs
        label="Parts of Access"
        current={tab}
        tabs={[
          { id: "tokens", title: "Tokens", href: linkTo("access") },
          { id: "audit", title: "Audit", href: linkTo("access", ["audit"]) },
        ]}
      />
    </header>
  );
  if (tab === "audit")
    return (
      <CallSearch label="Audit" span="all" isLive={false} tab="audit">
        {() => head}
      </CallSearch>
    );
  return (
    <div class="view">
      {head}
      <Tokens />
    </div>
  );
}

function Tokens(): JSX.Element {
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<TokenMade | undefined>(undefined);
  const loaded = useLoaded(async (signal) => (await request("GET /console/tokens", { signal })).tokens, []);
  return (
    <>
      <div class="filters">
        <button type="button" class="primary" onClick={() => setAdding(true)}>
          Add a token
        </button>
        <span class="muted">A token lets one client in, and says what it may use.</span>
      </div>
      <Showing loaded={loaded}>
        {(tokens) =>
          tokens.length === 0 ? <NoTokens /> : <TokenTable tokens={tokens} reload={loaded.reload} />
        }
      </Showing>
      {isAdding && (
        <AddToken
          onClose={() => setAdding(false)}
          onMade={(answer) => {
            setAdding(false);
            setMade(answer);
            loaded.reload();
          }}
        />
      )}
      {made && <MadeToken made={made} onClose={() => setMade(undefined)} />}
    </>
  );
}

function NoTokens(): JSX.Element {
  return (
    <div class="empty">
      <p>
        There are no tokens: everyone on this machine may use the gateway, and nobody else can. Add one for
        each client that should be known by name.
      </p>
      <Command line="indus token add NAME" />
    </div>
  );
}

function TokenTable({
  tokens,
  reload,
}: {
  readonly tokens: readonly TokenShown[];
  readonly reload: () => void;
}): JSX.Element {
  const [leaving, setLeaving] = useState<TokenShown | undefined>(undefined);
  const revoke = async (name: string): Promise<void> => {
    setLeaving(undefined);
    await act(`Revoked ${name}`, () => request("DELETE /console/tokens/NAME", { id: name }));
    reload();
  };
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label="Tokens">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Servers</th>
            <th scope="col">Tools</th>
            <th scope="col">Calls at a time</th>
            <th scope="col">Listing</th>
            <th scope="col">Added</th>
            <th scope="col">
              <span class="sr">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => {
            const { id, name, servers, tools, calls, listing, createdAt, admin } = token;
            return (
              <tr key={id}>
                <th scope="row">
                  <Said>{name}</Said> {admin === true && <span class="tag">admin</span>}
                </th>
                <td data-label="Servers">
                  <Said>{servers?.join(", ") ?? "all"}</Said>
                </td>
                <td data-label="Tools">
                  <Said>{tools?.join(", ") ?? "all"}</Said>
                </td>
                <td data-label="Calls at a time">{calls ?? "default"}</td>
                <td data-label="Listing">{listing ?? "default"}</td>
                <td data-label="Added">
                  <time title={wholeTime(createdAt)}>{clock(createdAt)}</time>
                </td>
                <td class="actions">
                  <a class="button" href={linkTo("access", ["audit"], { principal: name })}>
                    Audit
                  </a>
                  <button
                    type="button"
                    aria-label={`Revoke ${plain(name)}`}
                    onClick={() => setLeaving(token)}
                  >
                    Revoke
                  </button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {leaving !== undefined && (
        <Dialog title="Revoke this token?" onClose={() => setLeaving(undefined)}>
          <p>
            Clients that use <Code>{leaving.name}</Code> are refused from now on. This cannot be undone.
          </p>
          <Command line={leaving.revoke} />
          <div class="actions">
            <button type="button" class="danger" onClick={() => void revoke(leaving.name)}>
              Revoke
            </button>
            <button type="button" onClick={() => setLeaving(undefined)}>
              Keep it
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

function AddToken({
  onClose,
  onMade,
}: {
  readonly onClose: () => void;
  readonly onMade: (made: TokenMade) => void;
}): JSX.Element {
  const [name, setName] = useState("");
  const [servers, setServers] = useState("");
  const [tools, setTools] = useState("");
  const [calls, setCalls] = useState("");
  const [listing, setListing] = useState("");
  const add = async (event: Event): Promise<void> => {
    event.preventDefault();
    const body: TokenRequest = {
      name: name.trim(),
      servers: list(servers),
      tools: list(tools),
      calls: calls.trim() === "" ? undefined : Number(calls),
      listing: listing === "" ? undefined : (listing as NonNullable<TokenRequest["listing"]>),
    };
    const made = await act(`Added ${name}`, () => request("POST /console/tokens", { body }));
    if (made) onMade(made);
  };
  return (
    <Dialog title="Add a token" onClose={onClose}>
      <form class="form" onSubmit={(event) => void add(event)}>
        <label>
          Name of the client
          <input
            required
            value={name}
            autocomplete="off"
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <label>
          Servers <span class="muted">separated by commas; empty: all</span>
          <input
            value={servers}
            placeholder="notes, units"
            onInput={(event) => setServers(event.currentTarget.value)}
          />
        </label>
        <label>
          Tools <span class="muted">names or patterns; empty: all</span>
          <input
            value={tools}
            placeholder="notes__*, read"
            onInput={(event) => setTools(event.currentTarget.value)}
          />
        </label>
        <label>
          Calls at a time <span class="muted">empty: the gateway's limit</span>
          <input inputMode="numeric" value={calls} onInput={(event) => setCalls(event.currentTarget.value)} />
        </label>
        <label>
          How tools are listed
          <select value={listing} onChange={(event) => setListing(event.currentTarget.value)}>
            <option value="">as the gateway does</option>
            <option value="all">all</option>
            <option value="search">search</option>
            <option value="auto">auto</option>
          </select>
        </label>
        <div class="actions">
          <button type="submit" class="primary">
            Add
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function list(text: string): readonly string[] | undefined {
  const parts = text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
  return parts.length === 0 ? undefined : parts;
}

function MadeToken({
  made: { token, command, messages },
  onClose,
}: {
  readonly made: TokenMade;
  readonly onClose: () => void;
}): JSX.Element {
  return (
    <Dialog title="Copy the token now" onClose={onClose}>
      <p>It is shown once: only a digest is stored.</p>
      <p class="secret">
        <code>{token}</code>
        <Copy text={token} label="Copy the token" />
      </p>
      {messages.map((message) => (
        <p key={message} class="muted">
          <Said>{message}</Said>
        </p>
      ))}
      <Command line={command} />
      <div class="actions">
        <button type="button" class="primary" onClick={onClose}>
          I have copied it
        </button>
      </div>
    </Dialog>
  );
}
