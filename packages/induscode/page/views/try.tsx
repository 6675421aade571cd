import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type {
  Era,
  MadeApp,
  ServerItem,
  ServerPrompt,
  TryOffer,
  TryRequest,
  TryTool,
} from "../../src/console/contract.ts";
import { bytes, count, duration } from "../figures.ts";
import { AppFrame, webAddress } from "../parts/app-frame.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Members } from "../parts/form.tsx";
import { type Column, Grid } from "../parts/grid.tsx";
import { Showing, useLoaded } from "../parts/loaded.tsx";
import { complain } from "../parts/notices.tsx";
import { type Field, fieldOf, NotJson, problemsOf, shown, startOf } from "../parts/schema.ts";
import { Tabs } from "../parts/tabs.tsx";
import { request } from "../request.ts";
import { goTo, linkTo, route } from "../route.ts";
import { toolChanges } from "../store.ts";
import { Code, Json, plain, Said } from "../text.tsx";
import {
  type AskedQuestion,
  messages,
  questions,
  runTry,
  type TryOutcome,
  type WireMessage,
} from "../try-run.ts";

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

// --- Forms --------------------------------------------------------------------------------------------------------------------------

interface Running {
  readonly outcome?: TryOutcome | undefined;
  readonly isRunning: boolean;
  readonly run: (body: TryRequest) => Promise<TryOutcome>;
  readonly cancel: () => void;
}

function useTry(): Running {
  const [outcome, setOutcome] = useState<TryOutcome | undefined>(undefined);
  const [stopped, setStopped] = useState<AbortController | undefined>(undefined);
  const last = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => last.current?.abort(), []);
  const run = async (body: TryRequest): Promise<TryOutcome> => {
    const controller = new AbortController();
    last.current = controller;
    setStopped(controller);
    setOutcome(undefined);
    const ended = await runTry(body, controller.signal);
    setStopped(undefined);
    setOutcome(ended);
    return ended;
  };
  return { outcome, isRunning: stopped !== undefined, run, cancel: () => stopped?.abort() };
}

function ToolForm({ era, tool }: { readonly era: Era; readonly tool: TryTool }): JSX.Element {
  const field = useMemo(() => fieldOf(tool.inputSchema), [tool.inputSchema]);
  const running = useTry();
  const [used, setUsed] = useState<{ readonly [name: string]: unknown }>({});
  const [app, setApp] = useState<MadeApp | undefined>(undefined);
  const run = async (value: { readonly [name: string]: unknown }): Promise<void> => {
    setUsed(value);
    setApp(undefined);
    const outcome = await running.run({ era, kind: "tool", name: tool.name, arguments: value });
    if (outcome.type === "failed" || tool.app === undefined) return;
    setApp(
      await request("POST /console/apps", { body: { era, tool: tool.name } }).catch((error: unknown) => {
        complain(error);
        return undefined;
      }),
    );
  };
  return (
    <section class="panel try-form" aria-label={plain(tool.name)}>
      <h2>
        <Said>{tool.name}</Said>
      </h2>
      {tool.description !== undefined && (
        <p class="muted">
          <Said lines>{tool.description}</Said>
        </p>
      )}
      <ValueForm field={field} action="Call" running={running} onSend={(value) => void run(value)} />
      {running.outcome && <Shown outcome={running.outcome} />}
      {app && running.outcome?.type === "result" && (
        <AppFrame key={app.id} app={app} era={era} input={used} result={running.outcome.result} />
      )}
    </section>
  );
}

interface ValueFormProps {
  /** Next to the button that sends. */
  readonly children?: ComponentChildren;
  readonly field: Field;
  readonly action: string;
  readonly running: Pick<Running, "isRunning" | "cancel">;
  readonly onSend: (value: { readonly [name: string]: unknown }) => void;
}

/** The questions of a schema, or the same value as JSON. */
function ValueForm({ field, action, running, onSend, children }: ValueFormProps): JSX.Element {
  const [value, setValue] = useState<{ readonly [name: string]: unknown }>(
    () => (startOf(field) ?? {}) as { readonly [name: string]: unknown },
  );
  const [isJson, setJson] = useState(field.kind !== "group");
  const [text, setText] = useState("{}");
  const [isTried, setTried] = useState(false);
  const members = field.kind === "group" ? field.members : [];
  const problems = isJson ? {} : problemsOf(field, value);
  const parsed = isJson ? parsedObject(text) : undefined;
  const send = (event: Event): void => {
    event.preventDefault();
    setTried(true);
    if (isJson ? parsed === undefined : Object.keys(problems).length > 0) return;
    onSend(isJson ? (parsed ?? {}) : value);
  };
  const change = (): void => {
    if (isJson) setValue(parsed ?? value);
    else setText(JSON.stringify(withoutDrafts(value), undefined, 2));
    setJson(!isJson);
  };
  return (
    <form class="form" onSubmit={send} noValidate>
      {isJson ? (
        <label>
          Arguments as JSON
          <textarea
            class="code"
            rows={8}
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          {isTried && parsed === undefined && (
            <span class="field-error" role="alert">
              This is not a JSON object.
            </span>
          )}
        </label>
      ) : members.length === 0 ? (
        <p class="muted">It takes no arguments.</p>
      ) : (
        <Members
          members={members}
          value={value}
          onChange={(next) => setValue(next as typeof value)}
          problems={isTried ? problems : {}}
          path=""
        />
      )}
      <div class="actions">
        <button type="submit" class="primary" disabled={running.isRunning}>
          {running.isRunning ? "Running…" : action}
        </button>
        {running.isRunning && (
          <button type="button" onClick={running.cancel}>
            Cancel
          </button>
        )}
        {children}
        {field.kind === "group" && (
          <button type="button" class="quiet" onClick={change}>
            {isJson ? "As a form" : "As JSON"}
          </button>
        )}
      </div>
    </form>
  );
}

function parsedObject(text: string): { readonly [name: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text === "" ? "{}" : text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as { readonly [name: string]: unknown })
      : undefined;
  } catch {
    return undefined;
  }
}

function withoutDrafts(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => !(member instanceof NotJson)));
}

function PromptForm({ era, prompt }: { readonly era: Era; readonly prompt: ServerPrompt }): JSX.Element {
  const running = useTry();
  const field: Field = {
    kind: "group",
    about: {},
    members: prompt.arguments.map(({ name, description, required }) => ({
      name,
      isRequired: required,
      field: { kind: "text", about: { description }, input: "text", isLong: false },
    })),
  };
  const run = (value: { readonly [name: string]: unknown }): void =>
    void running.run({
      era,
      kind: "prompt",
      name: prompt.shownAs,
      arguments: value as { readonly [name: string]: string },
    });
  return (
    <section class="panel try-form" aria-label={plain(prompt.shownAs)}>
      <h2>
        <Said>{prompt.shownAs}</Said>
      </h2>
      {prompt.description !== undefined && (
        <p class="muted">
          <Said lines>{prompt.description}</Said>
        </p>
      )}
      <ValueForm field={field} action="Get" running={running} onSend={run} />
      {running.outcome && <Shown outcome={running.outcome} />}
    </section>
  );
}

const VARIABLE = /\{[^}]*\}/;

function ResourceForm({
  era,
  uri,
  item,
}: {
  readonly era: Era;
  readonly uri: string;
  readonly item: ServerItem | undefined;
}): JSX.Element {
  const running = useTry();
  const [address, setAddress] = useState(uri);
  return (
    <section class="panel try-form" aria-label={plain(uri)}>
      <h2>
        <Said>{item?.title ?? item?.name ?? uri}</Said>
      </h2>
      {item?.description !== undefined && (
        <p class="muted">
          <Said lines>{item.description}</Said>
        </p>
      )}
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void running.run({ era, kind: "resource", uri: address });
        }}
      >
        <label>
          URI
          <input value={address} onInput={(event) => setAddress(event.currentTarget.value)} />
          {VARIABLE.test(address) && <span class="muted">Replace each part in braces.</span>}
        </label>
        <div class="actions">
          <button type="submit" class="primary" disabled={running.isRunning}>
            {running.isRunning ? "Reading…" : "Read"}
          </button>
          {running.isRunning && (
            <button type="button" onClick={running.cancel}>
              Cancel
            </button>
          )}
        </div>
      </form>
      {running.outcome && <Shown outcome={running.outcome} />}
    </section>
  );
}

// --- Results ------------------------------------------------------------------------------------------------------------------------

function Shown({ outcome }: { readonly outcome: TryOutcome }): JSX.Element {
  if (outcome.type === "failed")
    return (
      <div class="failure" role="alert">
        <p>
          <Said lines>{outcome.message}</Said>
        </p>
        {outcome.remedy !== undefined && (
          <p class="muted">
            <Said>{outcome.remedy}</Said>
          </p>
        )}
      </div>
    );
  const result = (outcome.result ?? {}) as {
    readonly isError?: unknown;
    readonly content?: unknown;
    readonly contents?: unknown;
    readonly messages?: unknown;
    readonly structuredContent?: unknown;
  };
  const blocks = [
    ...arrayOf(result.content),
    ...arrayOf(result.contents),
    ...arrayOf(result.messages).flatMap(blocksOfMessage),
  ];
  return (
    <section class="result" aria-label="Result" role="status">
      <h3>
        {result.isError === true ? <span class="bad-text">The tool answered with an error</span> : "Result"}{" "}
        <span class="muted">{duration(outcome.ms)}</span>
      </h3>
      {blocks.map((block, at) => (
        <Block key={at} block={block as BlockShape} />
      ))}
      {result.structuredContent !== undefined && (
        <details class="more" open={blocks.length === 0}>
          <summary>Structured content</summary>
          <Json value={result.structuredContent} label="Structured content" />
        </details>
      )}
      {blocks.length === 0 && result.structuredContent === undefined && (
        <Json value={outcome.result} label="Whole result" />
      )}
    </section>
  );
}

interface BlockShape {
  readonly type?: unknown;
  readonly role?: unknown;
  readonly text?: unknown;
  readonly data?: unknown;
  readonly blob?: unknown;
  readonly mimeType?: unknown;
  readonly uri?: unknown;
  readonly name?: unknown;
  readonly resource?: unknown;
}

const arrayOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function blocksOfMessage(message: unknown): readonly unknown[] {
  const { role, content } = (message ?? {}) as { readonly role?: unknown; readonly content?: unknown };
  return (Array.isArray(content) ? content : [content]).map((block) => ({ ...(block as object), role }));
}

/** An image is the only thing of a server that is drawn. It is a picture, never a document: nothing in it runs. */
const IMAGE = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml)$/;

function Block({ block }: { readonly block: BlockShape }): JSX.Element {
  const { type, role, text, data, blob, mimeType, uri, name, resource } = block ?? {};
  if (type === "resource" && typeof resource === "object" && resource !== null)
    return <Block block={resource} />;
  const encoded = typeof data === "string" ? data : typeof blob === "string" ? blob : undefined;
  return (
    <div class="block">
      {typeof role === "string" && <span class="tag">{plain(role)}</span>}
      {typeof uri === "string" && (
        <p class="muted">
          <Said>{typeof name === "string" ? `${name}: ${uri}` : uri}</Said>
        </p>
      )}
      {typeof text === "string" ? (
        <pre class="whole" tabIndex={0} role="region" aria-label="Text">
          <Said lines>{text}</Said>
        </pre>
      ) : encoded !== undefined && typeof mimeType === "string" && IMAGE.test(mimeType) ? (
        <img
          class="picture"
          alt="A picture that the server sent"
          src={`data:${mimeType};base64,${encoded}`}
        />
      ) : encoded === undefined ? (
        typeof uri !== "string" && <Json value={block} label="Block" />
      ) : (
        <p class="muted">
          <Said>{`${typeof mimeType === "string" ? mimeType : "binary data"}, ${bytes(Math.floor((encoded.length * 3) / 4))}`}</Said>
        </p>
      )}
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
