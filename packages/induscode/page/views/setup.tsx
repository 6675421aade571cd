import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ConfigRow, RowChecked, RowRequest, RowsAnswer } from "../../src/console/contract.ts";
import { isLocal } from "../access.ts";
import { Command } from "../parts/command.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { FileChange } from "../parts/file-change.tsx";
import { Failure, Showing, useLoaded } from "../parts/loaded.tsx";
import { act } from "../parts/notices.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { messageOf, request } from "../request.ts";
import { goTo, linkTo, route } from "../route.ts";
import { ledgerChanges } from "../store.ts";
import { Code, plain, Said } from "../text.tsx";
import { Programs } from "./setup-programs.tsx";

/** What is written into files: rows of servers, and the gateway's row in other programs. */
export function Setup(): JSX.Element {
  const { parts } = route.value;
  const tab = parts[0] === "clients" ? "clients" : "rows";
  return (
    <div class="view">
      <header class="view-head">
        <h1>Setup</h1>
        <Tabs
          label="Parts of Setup"
          current={tab}
          tabs={[
            { id: "rows", title: "Servers", href: linkTo("setup", ["rows"]) },
            { id: "clients", title: "Programs", href: linkTo("setup", ["clients"]) },
          ]}
        />
      </header>
      {tab === "clients" ? isLocal() ? <Programs /> : <OnlyLocal /> : <Rows wanted={parts[1]} />}
    </div>
  );
}

function OnlyLocal(): JSX.Element {
  return (
    <div class="empty">
      <p>Files change only in a console that was opened on the gateway's own machine. Run this there:</p>
      <Command line="indus console" />
    </div>
  );
}

function Rows({ wanted }: { readonly wanted: string | undefined }): JSX.Element {
  const loaded = useLoaded((signal) => request("GET /console/rows", { signal }), [ledgerChanges.value]);
  return (
    <Showing loaded={loaded}>
      {(answer) => {
        const row = answer.rows.find(({ name }) => name === wanted);
        if (wanted === "+" || row)
          return <RowEditor key={wanted} row={row} answer={answer} reload={loaded.reload} />;
        return <RowTable answer={answer} reload={loaded.reload} />;
      }}
    </Showing>
  );
}

function RowTable({
  answer,
  reload,
}: {
  readonly answer: RowsAnswer;
  readonly reload: () => void;
}): JSX.Element {
  const [leaving, setLeaving] = useState<ConfigRow | undefined>(undefined);
  return (
    <>
      <div class="filters">
        {isLocal() ? (
          <a class="button primary" href={linkTo("setup", ["rows", "+"])}>
            Add a server
          </a>
        ) : (
          <OnlyLocal />
        )}
        <Command line="indus mcp import" />
      </div>
      {answer.rows.length === 0 ? (
        <div class="empty">
          <p>
            No file has a server yet. Add one, or bring in those of your other programs with the command
            above.
          </p>
        </div>
      ) : (
        <div class="table-frame" tabIndex={0} role="region" aria-label="Rows">
          <table>
            <thead>
              <tr>
                <th scope="col">Server</th>
                <th scope="col">Starts</th>
                <th scope="col">File</th>
                <th scope="col">
                  <span class="sr">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {answer.rows.map((row) => (
                <tr key={`${row.file} ${row.name}`}>
                  <th scope="row">
                    <a href={linkTo("servers", [row.name])}>
                      <Said>{row.name}</Said>
                    </a>
                  </th>
                  <td data-label="Starts">
                    <Code>{launchOf(row.row)}</Code>
                  </td>
                  <td data-label="File">
                    <Said>{row.file}</Said> <span class="tag">{row.scope}</span>
                  </td>
                  <td class="actions">
                    {row.isEditable ? (
                      <>
                        <a
                          class="button"
                          href={linkTo("setup", ["rows", row.name])}
                          aria-label={`Edit ${plain(row.name)}`}
                        >
                          Edit
                        </a>
                        <button
                          type="button"
                          aria-label={`Remove ${plain(row.name)}`}
                          onClick={() => setLeaving(row)}
                        >
                          Remove
                        </button>
                      </>
                    ) : (
                      <span class="muted">not edited here</span>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {leaving && <RemoveRow row={leaving} onClose={() => setLeaving(undefined)} reload={reload} />}
    </>
  );
}

function launchOf(row: ConfigRow["row"]): string {
  const { command, args, url } = row as {
    readonly command?: unknown;
    readonly args?: unknown;
    readonly url?: unknown;
  };
  if (typeof url === "string") return url;
  return [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === "string").join(" ");
}

function RemoveRow({
  row,
  onClose,
  reload,
}: {
  readonly row: ConfigRow;
  readonly onClose: () => void;
  readonly reload: () => void;
}): JSX.Element {
  const body: RowRequest = { action: "remove", name: row.name };
  const checked = useLoaded((signal) => request("POST /console/rows/check", { body, signal }), [row.name]);
  const remove = async (): Promise<void> => {
    onClose();
    await act(`Removed ${row.name}`, () => request("POST /console/rows", { body }));
    reload();
  };
  return (
    <Dialog title="Remove this server?" onClose={onClose}>
      <Showing loaded={checked}>{(answer) => <Checked answer={answer} />}</Showing>
      <div class="actions">
        <button type="button" class="danger" onClick={() => void remove()}>
          Remove
        </button>
        <button type="button" onClick={onClose}>
          Keep it
        </button>
      </div>
    </Dialog>
  );
}

const EXAMPLES = {
  program: { command: "npx", args: ["-y", "PACKAGE"], env: {} },
  address: { url: "https://HOST/mcp", headers: {} },
};
/** A pause in typing, after which the row is checked. */
const CHECK_MS = 400;

interface RowEditorProps {
  readonly row: ConfigRow | undefined;
  readonly answer: RowsAnswer;
  readonly reload: () => void;
}

function RowEditor({ row, answer: { files }, reload }: RowEditorProps): JSX.Element {
  const [name, setName] = useState(row?.name ?? "");
  const [text, setText] = useState(JSON.stringify(row?.row ?? EXAMPLES.program, undefined, 2));
  const [scope, setScope] = useState<RowRequest["scope"]>(row ? undefined : files[0]?.scope);
  const [checked, setChecked] = useState<RowChecked | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const parsed = parse(text);
  const body: RowRequest | undefined =
    typeof parsed === "string" || name.trim() === ""
      ? undefined
      : { action: row ? "edit" : "add", name: name.trim(), row: parsed, scope };
  const asked = JSON.stringify(body);
  useEffect(() => {
    setChecked(undefined);
    setError(undefined);
    if (body === undefined) return;
    const stopped = new AbortController();
    const timer = setTimeout(() => {
      request("POST /console/rows/check", { body, signal: stopped.signal }).then(
        setChecked,
        (thrown: unknown) => stopped.signal.aborted || setError(thrown),
      );
    }, CHECK_MS);
    return () => {
      clearTimeout(timer);
      stopped.abort();
    };
  }, [asked]);
  const isGood = checked !== undefined && checked.problems.length === 0;
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!isGood || body === undefined) return;
    const done = await act(`Saved ${name}`, () => request("POST /console/rows", { body }));
    if (!done) return;
    reload();
    goTo("setup", ["rows"]);
  };
  return (
    <form class="form editor" onSubmit={(event) => void save(event)}>
      <div class="editor-columns">
        <div class="form">
          <label>
            Name
            <input
              value={name}
              readOnly={row !== undefined}
              required
              autocomplete="off"
              onInput={(event) => setName(event.currentTarget.value)}
            />
          </label>
          {row === undefined && (
            <>
              <label>
                File
                <select
                  value={scope}
                  onChange={(event) => setScope(event.currentTarget.value as typeof scope)}
                >
                  {files.map(({ scope: one, file }) => (
                    <option key={one} value={one}>
                      {plain(`${one}: ${file}`)}
                    </option>
                  ))}
                </select>
              </label>
              <div class="actions">
                <span class="muted">Start from</span>
                {Object.entries(EXAMPLES).map(([kind, example]) => (
                  <button
                    key={kind}
                    type="button"
                    onClick={() => setText(JSON.stringify(example, undefined, 2))}
                  >
                    {kind === "program" ? "a program" : "an address"}
                  </button>
                ))}
              </div>
            </>
          )}
          <label>
            Row <span class="muted">as in a file. A secret is shown as …; leave it as it is to keep it.</span>
            <textarea
              class="code"
              rows={18}
              spellcheck={false}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </label>
        </div>
        <div class="form" aria-live="polite">
          <h2>Check</h2>
          {typeof parsed === "string" ? (
            <p class="field-error" role="alert">
              <Said>{parsed}</Said>
            </p>
          ) : name.trim() === "" ? (
            <p class="muted">Give it a name.</p>
          ) : error !== undefined ? (
            <Failure error={error} />
          ) : checked === undefined ? (
            <p class="muted">Checking…</p>
          ) : (
            <Checked answer={checked} />
          )}
          <div class="actions">
            <button type="submit" class="primary" disabled={!isGood}>
              Save
            </button>
            <a class="button" href={linkTo("setup", ["rows"])}>
              Back
            </a>
          </div>
        </div>
      </div>
    </form>
  );
}

/** The row, or why it is none. */
function parse(text: string): { readonly [member: string]: unknown } | string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return value as { readonly [member: string]: unknown };
    return "A row is a JSON object.";
  } catch (error) {
    return `This is not JSON: ${messageOf(error)}`;
  }
}

function Checked({
  answer: { problems, difference, file, command },
}: {
  readonly answer: RowChecked;
}): JSX.Element {
  return (
    <>
      {problems.length === 0 ? (
        <p class="good-text">Nothing is wrong with it.</p>
      ) : (
        <ul class="field-error" role="alert">
          {problems.map((problem) => (
            <li key={problem}>
              <Said>{problem}</Said>
            </li>
          ))}
        </ul>
      )}
      <FileChange file={file} difference={difference} command={command} />
    </>
  );
}
