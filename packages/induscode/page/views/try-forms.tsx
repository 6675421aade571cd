import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type {
  Era,
  MadeApp,
  ServerItem,
  ServerPrompt,
  TryRequest,
  TryTool,
} from "../../src/console/contract.ts";
import { AppFrame } from "../parts/app-frame.tsx";
import { Members } from "../parts/form.tsx";
import { complain } from "../parts/notices.tsx";
import { type Field, fieldOf, NotJson, problemsOf, startOf } from "../parts/schema.ts";
import { request } from "../request.ts";
import { plain, Said } from "../text.tsx";
import { runTry, type TryOutcome } from "../try-run.ts";
import { Result } from "./try-result.tsx";

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

export function ToolForm({ era, tool }: { readonly era: Era; readonly tool: TryTool }): JSX.Element {
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
      {running.outcome && <Result outcome={running.outcome} />}
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
export function ValueForm({ field, action, running, onSend, children }: ValueFormProps): JSX.Element {
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

export function PromptForm({
  era,
  prompt,
}: {
  readonly era: Era;
  readonly prompt: ServerPrompt;
}): JSX.Element {
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
      {running.outcome && <Result outcome={running.outcome} />}
    </section>
  );
}

const VARIABLE = /\{[^}]*\}/;

export function ResourceForm({
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
      {running.outcome && <Result outcome={running.outcome} />}
    </section>
  );
}
