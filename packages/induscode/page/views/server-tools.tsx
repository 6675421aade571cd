import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ServerTool, ToolChange } from "../../src/console/contract.ts";
import { isLocal } from "../access.ts";
import { count, plural, short } from "../figures.ts";
import { type Column, Grid } from "../parts/grid.tsx";
import { act } from "../parts/notices.tsx";
import { request } from "../request.ts";
import { linkTo, route } from "../route.ts";
import { Code, Json, plain, Said } from "../text.tsx";

/** The tools of a server, and what one can do with each. */
export function Tools({
  id,
  tools,
  reload,
}: {
  readonly id: string;
  readonly tools: readonly ServerTool[];
  readonly reload: () => void;
}): JSX.Element {
  const wanted = useSignal("");
  const [opened, setOpened] = useState<string | undefined>(route.value.query.get("tool") ?? undefined);
  const rows = useFiltered(
    tools,
    wanted.value,
    ({ name, shownAs, description }) => `${name} ${shownAs} ${description}`,
  );
  const tool = tools.find(({ name }) => name === opened);
  return (
    <div class={tool ? "split open" : "split"}>
      <div class="split-list">
        <label class="search">
          <span class="sr">Filter tools by name or description</span>
          <input
            type="search"
            placeholder={`Filter ${plural(tools.length, "tool")}`}
            value={wanted.value}
            onInput={(event) => (wanted.value = event.currentTarget.value)}
          />
          <span class="muted" role="status">
            {wanted.value === "" ? "" : `${count(rows.length)} found`}
          </span>
        </label>
        <Grid
          label={`Tools of ${plain(id)}`}
          rows={rows}
          columns={TOOL_COLUMNS}
          keyOf={({ name }) => name}
          opened={opened}
          onOpen={({ name }) => setOpened(name)}
          empty={
            tools.length > 0 ? (
              <p>No tool matches this filter.</p>
            ) : (
              <p>
                This server has no tools so far. Its <a href={linkTo("servers", [id, "log"])}>log</a> says
                what it does.
              </p>
            )
          }
        />
      </div>
      {tool && <ToolDetail tool={tool} onClose={() => setOpened(undefined)} onChanged={reload} />}
    </div>
  );
}

const TOOL_COLUMNS: readonly Column<ServerTool>[] = [
  {
    key: "name",
    title: "Tool",
    width: "minmax(8rem, 1fr)",
    show: ({ name, state }) => (
      <span class={state === "offered" ? "name" : "name muted"}>
        <Said>{name}</Said>
        {state !== "offered" && <span class={`tag tag-${state}`}>{state}</span>}
      </span>
    ),
  },
  {
    key: "description",
    title: "Description",
    width: "minmax(8rem, 2fr)",
    fromPx: 420,
    show: ({ description }) => <Said>{description.slice(0, 300)}</Said>,
  },
  {
    key: "hints",
    title: "Hints",
    width: "7rem",
    fromPx: 760,
    show: ({ annotations }) => <Hints annotations={annotations} />,
  },
  {
    key: "tokens",
    title: "Tokens",
    width: "4.5rem",
    isNumber: true,
    fromPx: 340,
    show: ({ tokens }) => short(tokens),
  },
];

function Hints({ annotations }: { readonly annotations: { readonly [name: string]: unknown } }): JSX.Element {
  const said = [
    annotations["readOnlyHint"] === true && "read-only",
    annotations["destructiveHint"] === true && annotations["readOnlyHint"] !== true && "destructive",
    annotations["openWorldHint"] === true && "open world",
  ].filter((hint) => hint !== false);
  return <span class="muted">{said.join(", ")}</span>;
}

/** Filters as one types, at most once per frame. */
function useFiltered<Item>(
  items: readonly Item[],
  wanted: string,
  textOf: (item: Item) => string,
): readonly Item[] {
  const texts = useRef<{ readonly of: readonly Item[]; readonly texts: readonly string[] }>({
    of: [],
    texts: [],
  });
  if (texts.current.of !== items)
    texts.current = { of: items, texts: items.map((item) => textOf(item).toLowerCase()) };
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return items;
  return items.filter((_, at) => words.every((word) => texts.current.texts[at]?.includes(word)));
}

interface ToolDetailProps {
  readonly tool: ServerTool;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

function ToolDetail({ tool, onClose, onChanged }: ToolDetailProps): JSX.Element {
  const {
    name,
    shownAs,
    title,
    signature,
    description,
    annotations,
    inputSchema,
    outputSchema,
    state,
    reason,
    tokens,
    app,
  } = tool;
  return (
    <article class="split-detail" aria-label={plain(name)}>
      <div class="detail-head">
        <h2>
          <Said>{name}</Said>
        </h2>
        <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </div>
      {title !== undefined && (
        <p class="muted">
          <Said>{title}</Said>
        </p>
      )}
      {state !== "offered" && (
        <p class={`hint tag-${state}`}>
          {state === "withheld" ? "Withheld: " : "Hidden: "}
          <Said>{reason ?? "its row leaves it out"}</Said>{" "}
          {state === "withheld" && <a href={linkTo("changes")}>Compare and decide</a>}
        </p>
      )}
      <pre class="signature" tabIndex={0} role="region" aria-label="Signature">
        <Said lines>{signature}</Said>
      </pre>
      <p class="description">
        <Said lines>{description === "" ? "No description." : description}</Said>
      </p>
      <dl class="facts-list">
        <dt>Clients see</dt>
        <dd>
          <Code>{shownAs}</Code>
        </dd>
        <dt>Cost</dt>
        <dd>{`${count(tokens)} tokens in each request`}</dd>
        {Object.entries(annotations).map(([hint, value]) => (
          <FactRow key={hint} name={hint} value={typeof value === "string" ? value : JSON.stringify(value)} />
        ))}
        {app !== undefined && <FactRow name="App" value={app} />}
      </dl>
      <div class="actions">
        {state === "offered" && (
          <a class="button primary" href={linkTo("try", ["tool", shownAs])}>
            Try it
          </a>
        )}
        <a class="button" href={linkTo("changes", ["explain"], { tool: shownAs })}>
          Explain
        </a>
        {isLocal() && <Visibility tool={tool} onChanged={onChanged} />}
      </div>
      {isLocal() && <Names tool={tool} onChanged={onChanged} />}
      <h3>Input schema</h3>
      <Json value={inputSchema} label="Input schema" />
      {outputSchema !== undefined && (
        <>
          <h3>Output schema</h3>
          <Json value={outputSchema} label="Output schema" />
        </>
      )}
    </article>
  );
}

function FactRow({ name, value }: { readonly name: string; readonly value: string }): JSX.Element {
  return (
    <>
      <dt>
        <Said>{name}</Said>
      </dt>
      <dd>
        <Said>{value}</Said>
      </dd>
    </>
  );
}

type ChangeProps = Pick<ToolDetailProps, "tool" | "onChanged">;

async function changeTool(change: ToolChange, onChanged: () => void): Promise<boolean> {
  const done = await act("Done", () => request("POST /console/tools", { body: change }));
  if (done) onChanged();
  return done !== undefined;
}

function Visibility({ tool: { shownAs, state }, onChanged }: ChangeProps): JSX.Element | null {
  if (state === "withheld") return null;
  const kind = state === "hidden" ? "show" : "hide";
  return (
    <button type="button" onClick={() => void changeTool({ kind, tool: shownAs }, onChanged)}>
      {kind === "show" ? "Show to clients" : "Hide from clients"}
    </button>
  );
}

function Names({ tool: { shownAs, description }, onChanged }: ChangeProps): JSX.Element {
  const name = useSignal(shownAs.includes("__") ? shownAs.slice(shownAs.indexOf("__") + 2) : shownAs);
  const text = useSignal(description);
  useEffect(() => {
    name.value = shownAs.includes("__") ? shownAs.slice(shownAs.indexOf("__") + 2) : shownAs;
    text.value = description;
  }, [shownAs, description]);
  const save = (kind: "rename" | "describe", value: string) => (event: Event) => {
    event.preventDefault();
    void changeTool({ kind, tool: shownAs, text: value }, onChanged);
  };
  return (
    <details class="more">
      <summary>Name and description for clients</summary>
      <form class="inline-form" onSubmit={save("rename", name.value)}>
        <label>
          Name
          <input value={name.value} onInput={(event) => (name.value = event.currentTarget.value)} />
        </label>
        <button type="submit">Rename</button>
        <button
          type="button"
          onClick={() => void changeTool({ kind: "rename", tool: shownAs, text: "" }, onChanged)}
        >
          Use the server's name
        </button>
      </form>
      <form class="inline-form" onSubmit={save("describe", text.value)}>
        <label>
          Description
          <textarea
            rows={3}
            value={text.value}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        </label>
        <button type="submit">Change</button>
        <button
          type="button"
          onClick={() => void changeTool({ kind: "describe", tool: shownAs, text: "" }, onChanged)}
        >
          Use the server's description
        </button>
      </form>
    </details>
  );
}
