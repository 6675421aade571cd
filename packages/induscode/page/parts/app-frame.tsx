import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Era, MadeApp } from "../../src/console/contract.ts";
import { version } from "../store.ts";
import { plain, Said } from "../text.tsx";
import { theme } from "../theme.ts";
import { runTry } from "../try-run.ts";
import { Dialog } from "./dialog.tsx";

/** The revision of MCP Apps that this host speaks. */
const PROTOCOL = "2026-01-26";
const MAX_HEIGHT_PX = 900;
/** Requests of an app that run at the same time. */
const MAX_RUNNING = 4;

interface AppFrameProps {
  readonly app: MadeApp;
  readonly era: Era;
  readonly input: { readonly [name: string]: unknown };
  readonly result: unknown;
}

interface AppMessage {
  readonly jsonrpc?: unknown;
  readonly id?: string | number;
  readonly method?: unknown;
  readonly params?: { readonly [name: string]: unknown };
}

/**
 * The page of an MCP App. Its frame has an opaque origin, so it reaches neither this page nor its storage; the policy of its answer says
 * what it may load. It speaks by messages only, and of those only what is below: calls go through the gateway like those of the form.
 */
export function AppFrame({ app, era, input, result }: AppFrameProps): JSX.Element {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(320);
  const [link, setLink] = useState<
    { readonly url: string; readonly answer: (isOpened: boolean) => void } | undefined
  >(undefined);

  useEffect(() => {
    const stopped = new AbortController();
    let running = 0;
    const send = (message: object): void =>
      frame.current?.contentWindow?.postMessage({ jsonrpc: "2.0", ...message }, "*");

    const run = async (body: Parameters<typeof runTry>[0]): Promise<unknown> => {
      if (running >= MAX_RUNNING) throw new Error("too many requests of this app are running");
      running++;
      const outcome = await runTry(body, stopped.signal);
      running--;
      if (outcome.type === "failed") throw new Error(outcome.message);
      return outcome.result;
    };

    const answer = async (method: string, params: { readonly [name: string]: unknown }): Promise<unknown> => {
      switch (method) {
        case "ui/initialize":
          return {
            protocolVersion: PROTOCOL,
            hostInfo: { name: "indus-console", version: version.value },
            hostCapabilities: { openLinks: {}, serverTools: {}, serverResources: {}, logging: {} },
            hostContext: {
              theme: theme.value,
              displayMode: "inline",
              availableDisplayModes: ["inline"],
              containerDimensions: { maxHeight: MAX_HEIGHT_PX, width: frame.current?.clientWidth ?? 600 },
              locale: navigator.language,
              timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
              platform: "web",
            },
          };
        case "ping":
          return {};
        case "tools/call":
          return run({
            era,
            kind: "tool",
            name: String(params["name"]),
            arguments: objectOf(params["arguments"]),
            app: app.id,
          });
        case "resources/read":
          return run({ era, kind: "resource", uri: String(params["uri"]), app: app.id });
        case "ui/open-link": {
          const url = webAddress(params["url"]);
          if (url === undefined) return { isError: true };
          return { isError: !(await new Promise<boolean>((resolve) => setLink({ url, answer: resolve }))) };
        }
        case "ui/request-display-mode":
          return { mode: "inline" };
        case "ui/update-model-context":
          return {};
        default:
          throw Object.assign(new Error(`this host does not support ${method}`), { code: -32601 });
      }
    };

    const onMessage = (event: MessageEvent<AppMessage | null>): void => {
      if (event.source === null || event.source !== frame.current?.contentWindow) return;
      const { id, method, params } = event.data ?? {};
      if (typeof method !== "string") return;
      if (id === undefined) {
        if (method === "ui/notifications/initialized") {
          send({ method: "ui/notifications/tool-input", params: { arguments: input } });
          send({ method: "ui/notifications/tool-result", params: result });
        } else if (method === "ui/notifications/size-changed") {
          const wanted = Number(objectOf(params)["height"]);
          if (wanted > 0) setHeight(Math.min(MAX_HEIGHT_PX, Math.ceil(wanted)));
        }
        return;
      }
      answer(method, objectOf(params)).then(
        (value) => send({ id, result: value }),
        (error: Error & { readonly code?: number }) =>
          send({ id, error: { code: error.code ?? -32000, message: error.message } }),
      );
    };
    addEventListener("message", onMessage);
    return () => {
      stopped.abort();
      removeEventListener("message", onMessage);
    };
  }, [app.id]);

  return (
    <figure class={app.prefersBorder === false ? "app" : "app framed"}>
      <figcaption class="muted">
        <Said>{`An app of ${app.server}: ${app.uri}`}</Said>. It runs apart from this page.
        <details>
          <summary>What it may load</summary>
          <code>
            <Said>{app.csp}</Said>
          </code>
        </details>
      </figcaption>
      <iframe
        ref={frame}
        title={`App of ${plain(app.server)}`}
        src={app.url}
        sandbox="allow-scripts allow-forms"
        referrerpolicy="no-referrer"
        style={{ height: `${height}px` }}
      />
      {link && (
        <Dialog
          title="Open this address?"
          onClose={() => {
            link.answer(false);
            setLink(undefined);
          }}
        >
          <p>
            The app of <Said>{app.server}</Said> wants to open a page in a new tab:
          </p>
          <p class="secret">
            <code>
              <Said>{link.url}</Said>
            </code>
          </p>
          <div class="actions">
            <button
              type="button"
              class="primary"
              onClick={() => {
                window.open(link.url, "_blank", "noopener,noreferrer");
                link.answer(true);
                setLink(undefined);
              }}
            >
              Open
            </button>
            <button
              type="button"
              onClick={() => {
                link.answer(false);
                setLink(undefined);
              }}
            >
              Do not open
            </button>
          </div>
        </Dialog>
      )}
    </figure>
  );
}

function objectOf(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as { readonly [name: string]: unknown })
    : {};
}

/** An address of the web. Everything else, such as `javascript:`, is refused. */
export function webAddress(text: unknown): string | undefined {
  try {
    const url = new URL(String(text));
    return url.protocol === "https:" || url.protocol === "http:" ? url.href : undefined;
  } catch {
    return undefined;
  }
}
