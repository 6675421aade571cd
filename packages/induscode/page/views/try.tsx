import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import type { Era, TryOffer } from "../../src/console/contract.ts";
import { bytes, count } from "../figures.ts";
import { webAddress } from "../parts/app-frame.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { type Column, Grid } from "../parts/grid.tsx";
import { Showing, useLoaded } from "../parts/loaded.tsx";
import { complain } from "../parts/notices.tsx";
import { fieldOf, shown } from "../parts/schema.ts";
import { Tabs } from "../parts/tabs.tsx";
import { request } from "../request.ts";
import { goTo, linkTo, route } from "../route.ts";
import { toolChanges } from "../store.ts";
import { Code, Json, plain, Said } from "../text.tsx";
import { type AskedQuestion, messages, questions, type WireMessage } from "../try-run.ts";
import { PromptForm, ResourceForm, ToolForm, ValueForm } from "./try-forms.tsx";

type Kind = "tool" | "resource" | "prompt";
const KINDS: readonly Kind[] = ["tool", "resource", "prompt"];

/** Everything the gateway offers, to be used by hand, with the messages of the exchange beside it. */
export function Try(): JSX.Element {
  const { parts } = route.value;
  const kind = KINDS.find((one) => one === parts[0]) ?? "tool";
  const chosen = parts[1];
  const [era, setEra] = useState<Era>("modern");
  const changes = JSON.stringify(toolChanges.value);
  const loaded = useLoaded(
    (signal) => request("GET /console/try", { query: { era }, signal }),
    [era, changes],
  );
  return (
    <div class="view fill">
      <header class="view-head">
        <h1>Try</h1>
        <Tabs
          label="What to try"
          current={kind}
          tabs={[
            { id: "tool", title: "Tools", href: linkTo("try", ["tool"]), count: loaded.value?.tools.length },
            {
              id: "resource",
              title: "Resources",
              href: linkTo("try", ["resource"]),
              count: loaded.value && loaded.value.resources.length + loaded.value.templates.length,
            },
            {
              id: "prompt",
              title: "Prompts",
              href: linkTo("try", ["prompt"]),
              count: loaded.value?.prompts.length,
            },
          ]}
        />
        <label class="inline">
          Protocol{" "}
          <select value={era} onChange={(event) => setEra(event.currentTarget.value as Era)}>
            <option value="modern">2026-07-28</option>
            <option value="legacy">2025-11-25 and older</option>
          </select>
        </label>
      </header>
      <Showing loaded={loaded}>
        {(offer) => <Bench era={era} kind={kind} chosen={chosen} offer={offer} />}
      </Showing>
      {questions.value[0] && <Question key={questions.value[0].request.message} asked={questions.value[0]} />}
    </div>
  );
}

interface BenchProps {
  readonly era: Era;
  readonly kind: Kind;
  readonly chosen: string | undefined;
  readonly offer: TryOffer;
}

interface Entry {
  readonly id: string;
  readonly title: string;
  readonly about: string;
}

const ENTRY_COLUMNS: readonly Column<Entry>[] = [
  { key: "title", title: "Name", width: "minmax(7rem, 1fr)", show: ({ title }) => <Said>{title}</Said> },
  {
    key: "about",
    title: "Description",
    width: "minmax(0, 1.4fr)",
    fromPx: 480,
    show: ({ about }) => <Said>{about.slice(0, 200)}</Said>,
  },
];

function entriesOf(kind: Kind, { tools, resources, templates, prompts }: TryOffer): readonly Entry[] {
  if (kind === "tool")
    return tools.map(({ name, description }) => ({ id: name, title: name, about: description ?? "" }));
  if (kind === "prompt")
    return prompts.map(({ shownAs, description }) => ({
      id: shownAs,
      title: shownAs,
      about: description ?? "",
    }));
  return [...resources, ...templates].map(({ uri, name, description }) => ({
    id: uri,
    title: uri,
    about: description ?? name,
  }));
}

function Bench({ era, kind, chosen, offer }: BenchProps): JSX.Element {
  const wanted = useSignal("");
  const entries = useMemo(() => entriesOf(kind, offer), [kind, offer]);
  const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = entries.filter(({ title, about }) =>
    words.every((word) => `${title} ${about}`.toLowerCase().includes(word)),
  );
  return (
    <div class={chosen === undefined ? "bench" : "bench chosen"}>
      <div class="split-list">
        <label class="search">
          <span class="sr">Filter by name or description</span>
          <input
            type="search"
            placeholder={`Filter ${count(entries.length)}`}
            value={wanted.value}
            onInput={(event) => (wanted.value = event.currentTarget.value)}
          />
        </label>
        <Grid
          label={`${kind}s`}
          rows={rows}
          columns={ENTRY_COLUMNS}
          rowPx={30}
          keyOf={({ id }) => id}
          opened={chosen}
          onOpen={({ id }) => goTo("try", [kind, id])}
          empty={
            <p>
              {entries.length > 0 ? "Nothing matches this filter." : `This gateway offers no ${kind}s here.`}
            </p>
          }
        />
      </div>
      {chosen !== undefined && (
        <Chosen key={`${kind} ${chosen} ${era}`} era={era} kind={kind} chosen={chosen} offer={offer} />
      )}
      <Messages />
    </div>
  );
}

function Chosen({ era, kind, chosen, offer }: BenchProps & { readonly chosen: string }): JSX.Element {
  if (kind === "tool") {
    const tool = offer.tools.find(({ name }) => name === chosen);
    return tool ? <ToolForm era={era} tool={tool} /> : <Absent name={chosen} />;
  }
  if (kind === "prompt") {
    const prompt = offer.prompts.find(({ shownAs }) => shownAs === chosen);
    return prompt ? <PromptForm era={era} prompt={prompt} /> : <Absent name={chosen} />;
  }
  const item =
    offer.resources.find(({ uri }) => uri === chosen) ?? offer.templates.find(({ uri }) => uri === chosen);
  return <ResourceForm era={era} uri={chosen} item={item} />;
}

function Absent({ name }: { readonly name: string }): JSX.Element {
  return (
    <div class="panel empty">
      <p>
        The gateway does not offer <Code>{name}</Code> here. It may be hidden, withheld, or its server may be
        down.
      </p>
      <a class="button" href={linkTo("changes", ["explain"], { tool: name })}>
        Explain
      </a>
    </div>
  );
}

// --- Questions ----------------------------------------------------------------------------------------------------------------------

/** A question that a server asks during a call. */
function Question({ asked }: { readonly asked: AskedQuestion }): JSX.Element {
  const isAnswered = useRef(false);
  const answer = (given: Parameters<AskedQuestion["answer"]>[0]): void => {
    if (isAnswered.current) return;
    isAnswered.current = true;
    asked.answer(given).catch(complain);
  };
  const { request: question } = asked;
  const decline = (
    <button type="button" onClick={() => answer({ action: "decline" })}>
      Decline
    </button>
  );
  return (
    <Dialog
      title={question.server === undefined ? "A server asks" : `${plain(question.server)} asks`}
      onClose={() => answer({ action: "cancel" })}
    >
      <p>
        <Said lines>{question.message}</Said>
      </p>
      {question.kind === "form" ? (
        <ValueForm
          field={fieldOf(question.schema)}
          action="Answer"
          running={{ isRunning: false, cancel: () => undefined }}
          onSend={(content) => answer({ action: "accept", content })}
        >
          {decline}
        </ValueForm>
      ) : (
        <>
          <AddressQuestion url={question.url} onOpened={() => answer({ action: "accept" })} />
          <div class="actions">{decline}</div>
        </>
      )}
      <p class="muted">Do not enter a password or a key here: servers may not ask for one this way.</p>
    </Dialog>
  );
}

function AddressQuestion({
  url,
  onOpened,
}: {
  readonly url: string;
  readonly onOpened: () => void;
}): JSX.Element {
  const address = webAddress(url);
  const open = (): void => {
    if (address === undefined) return;
    window.open(address, "_blank", "noopener,noreferrer");
    onOpened();
  };
  return (
    <>
      <p class="secret">
        <code>
          <Said>{url}</Said>
        </code>
      </p>
      {address === undefined ? (
        <p class="field-error">This is not an address of the web, so it is not opened.</p>
      ) : (
        <div>
          <button type="button" class="primary" onClick={open}>
            Open in a new tab
          </button>
        </div>
      )}
    </>
  );
}

// --- Messages -----------------------------------------------------------------------------------------------------------------------

function Messages(): JSX.Element {
  const all = messages.value;
  return (
    <section class="panel messages" aria-label="Messages">
      <div class="detail-head">
        <h2>Messages</h2>
        {all.length > 0 && (
          <button type="button" class="quiet" onClick={() => (messages.value = [])}>
            Clear
          </button>
        )}
      </div>
      {all.length === 0 ? (
        <p class="muted">What is sent and received appears here, as it is on the wire.</p>
      ) : (
        <ol>
          {all.map((message) => (
            <Message key={message.number} message={message} />
          ))}
        </ol>
      )}
    </section>
  );
}

function Message({
  message: { direction, atMs, message, cutBytes },
}: {
  readonly message: WireMessage;
}): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const { method, id, error } = (message ?? {}) as {
    readonly method?: unknown;
    readonly id?: unknown;
    readonly error?: unknown;
  };
  const title = typeof method === "string" ? method : error === undefined ? "result" : "error";
  return (
    <li class={`message ${direction}`}>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span class="arrow" aria-hidden="true">
            {direction === "sent" ? "→" : "←"}
          </span>
          <span class="sr">{direction}</span>
          <span class="method" title={id === undefined ? "" : plain(`request ${shown(id)}`)}>
            <Said>{title}</Said>
          </span>
          <time class="muted">{new Date(atMs).toISOString().slice(17, 23)}</time>
        </summary>
        {isOpen && <Json value={message} label={`${direction} ${plain(title)}`} />}
        {isOpen && cutBytes !== undefined && cutBytes > 0 && <p class="muted">{`${bytes(cutBytes)} more`}</p>}
      </details>
    </li>
  );
}
