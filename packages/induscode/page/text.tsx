import type { JSX } from "preact";
import { escapeForDisplay } from "../../indusagi/src/core/text/escape-for-display.ts";

/** Longer texts are cut where they are not asked for: a server may send megabytes. */
const MAX_CHARS = 20_000;

/**
 * A text from outside: a name, a description, an error, a result. Characters that are invisible or change the reading direction become
 * escapes such as `\u{202e}`, and the element keeps right-to-left text from reordering what is around it.
 */
export function Said({
  children,
  lines = false,
}: {
  readonly children: string;
  readonly lines?: boolean;
}): JSX.Element {
  return <bdi class={lines ? "said lines" : "said"}>{plain(children)}</bdi>;
}

/** The same as a string, for attributes such as `title` and `aria-label`. */
export function plain(text: string): string {
  const cut =
    text.length > MAX_CHARS
      ? `${text.slice(0, MAX_CHARS)}… (${text.length - MAX_CHARS} more characters)`
      : text;
  return escapeForDisplay(cut, { keepNewlines: true });
}

/** Code, a command, a schema. */
export function Code({ children }: { readonly children: string }): JSX.Element {
  return (
    <code>
      <Said>{children}</Said>
    </code>
  );
}

/** A value as indented JSON. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }): JSX.Element {
  return (
    <pre class="json" tabIndex={0} role="region" aria-label={label}>
      <Said lines>{JSON.stringify(value, undefined, 2) ?? "undefined"}</Said>
    </pre>
  );
}

/** Lines that differ, with `- ` and `+ ` in front, as words and not only as colours. */
export function Difference({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  return (
    <pre class="difference" tabIndex={0} role="region" aria-label={label}>
      {text.split("\n").map((line, at) => (
        <span key={at} class={lineClass(line)}>
          <Said>{line === "" ? " " : line}</Said>
        </span>
      ))}
    </pre>
  );
}

function lineClass(line: string): string {
  if (/^\+( |$)/.test(line)) return "line added";
  return /^-( |$)/.test(line) ? "line removed" : "line";
}
