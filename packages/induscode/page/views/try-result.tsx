import type { JSX } from "preact";
import { bytes, duration } from "../figures.ts";
import { Json, plain, Said } from "../text.tsx";
import type { TryOutcome } from "../try-run.ts";

/** What a try ended with: a failure with its remedy, or the blocks of a result. */
export function Result({ outcome }: { readonly outcome: TryOutcome }): JSX.Element {
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
