import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { plain, Said } from "../text.tsx";

/** A command line that does the same, to copy. */
export function Command({ line }: { readonly line: string }): JSX.Element {
  return (
    <span class="command">
      <span class="prompt" aria-hidden="true">
        $
      </span>
      <code>
        <Said>{line}</Said>
      </code>
      <Copy text={line} label={`Copy the command ${plain(line)}`} />
    </span>
  );
}

export function Copy({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button
      type="button"
      class="quiet copy"
      aria-label={label}
      onClick={() => void copy().catch(() => undefined)}
    >
      {isCopied ? "Copied" : "Copy"}
    </button>
  );
}
