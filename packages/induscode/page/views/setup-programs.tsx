import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ConnectPreview, ConnectRequest, KnownClient } from "../../src/console/contract.ts";
import { plural } from "../figures.ts";
import { Dialog } from "../parts/dialog.tsx";
import { FileChange } from "../parts/file-change.tsx";
import { Showing, useLoaded } from "../parts/loaded.tsx";
import { act } from "../parts/notices.tsx";
import { request } from "../request.ts";
import { plain, Said } from "../text.tsx";

/** The programs of this machine that can use the gateway, and their files. */
export function Programs(): JSX.Element {
  const loaded = useLoaded(async (signal) => (await request("GET /console/connect", { signal })).clients, []);
  const [asked, setAsked] = useState<ConnectRequest | undefined>(undefined);
  return (
    <>
      <p class="muted">
        Programs that can use this gateway. Connecting writes one row into their file; a copy of the file is
        kept, and undo restores it.
      </p>
      <Showing loaded={loaded}>
        {(clients) => (
          <div class="table-frame" tabIndex={0} role="region" aria-label="Programs">
            <table>
              <thead>
                <tr>
                  <th scope="col">Program</th>
                  <th scope="col">File</th>
                  <th scope="col">Its own servers</th>
                  <th scope="col">
                    <span class="sr">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {placesOf(clients).map(({ client, place }) => (
                  <Place key={`${client.id} ${place.scope}`} client={client} place={place} onAsk={setAsked} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Showing>
      {asked && (
        <Preview
          asked={asked}
          onClose={() => setAsked(undefined)}
          onDone={() => {
            setAsked(undefined);
            loaded.reload();
          }}
        />
      )}
    </>
  );
}

type ClientPlace = Pick<PlaceProps, "client" | "place">;

/** The programs that are connected or have a file come first. */
function placesOf(clients: readonly KnownClient[]): readonly ClientPlace[] {
  const all = clients.flatMap((client) => client.places.map((place) => ({ client, place })));
  const rank = ({ place: { isConnected, exists } }: ClientPlace): number =>
    isConnected ? 0 : exists ? 1 : 2;
  return all.sort((a, b) => rank(a) - rank(b));
}

interface PlaceProps {
  readonly client: KnownClient;
  readonly place: KnownClient["places"][number];
  readonly onAsk: (request: ConnectRequest) => void;
}

function Place({
  client,
  place: { scope, file, exists, isConnected, servers },
  onAsk,
}: PlaceProps): JSX.Element {
  const what = { client: client.id, scope };
  return (
    <tr>
      <th scope="row">
        <Said>{client.title}</Said> <span class="tag">{scope}</span>
      </th>
      <td data-label="File">
        <Said>{file}</Said> {!exists && <span class="muted">does not exist yet</span>}
      </td>
      <td data-label="Its own servers">
        {servers.length === 0 ? <span class="muted">none</span> : <Said>{servers.join(", ")}</Said>}
      </td>
      <td class="actions">
        {isConnected ? (
          <>
            <span class="state good">connected</span>
            <button
              type="button"
              aria-label={`Undo for ${plain(client.title)} (${scope})`}
              onClick={() => onAsk({ ...what, undo: true })}
            >
              Undo
            </button>
          </>
        ) : (
          <>
            <button
              type="button"
              aria-label={`Connect ${plain(client.title)} (${scope})`}
              onClick={() => onAsk(what)}
            >
              Connect
            </button>
            {servers.length > 0 && (
              <button
                type="button"
                aria-label={`Connect ${plain(client.title)} (${scope}) and move its servers here`}
                onClick={() => onAsk({ ...what, move: true })}
              >
                Connect, move {plural(servers.length, "server")}
              </button>
            )}
          </>
        )}
      </td>
    </tr>
  );
}

/** Nothing is written before its difference was seen. */
function Preview({
  asked,
  onClose,
  onDone,
}: {
  readonly asked: ConnectRequest;
  readonly onClose: () => void;
  readonly onDone: () => void;
}): JSX.Element {
  const loaded = useLoaded(
    (signal) => request("POST /console/connect/preview", { body: asked, signal }),
    [JSON.stringify(asked)],
  );
  const write = async (): Promise<void> => {
    await act("Done", () => request("POST /console/connect", { body: asked }));
    onDone();
  };
  return (
    <Dialog title={asked.undo ? "Restore this file?" : "Write this file?"} onClose={onClose}>
      <Showing loaded={loaded}>
        {({ file, difference, command, messages }: ConnectPreview) => (
          <>
            {messages.map((message) => (
              <p key={message}>
                <Said>{message}</Said>
              </p>
            ))}
            <FileChange file={file} difference={difference} command={command} />
            <div class="actions">
              <button type="button" class="primary" onClick={() => void write()}>
                {asked.undo ? "Restore" : "Write"}
              </button>
              <button type="button" onClick={onClose}>
                Cancel
              </button>
            </div>
          </>
        )}
      </Showing>
    </Dialog>
  );
}
