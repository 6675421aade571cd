import { escapeForDisplay } from "../text/escape-for-display.ts";

/** Replaces a secret in a text. */
export const REDACTED = "[redacted]";

/** Shorter texts occur by chance; replacing them would garble messages. */
export const MIN_SECRET_CHARS = 4;

/** A shorter encoded part, or line of a longer secret, may occur by chance. */
const MIN_BASE64_CHARS = 8;
const MIN_LINE_CHARS = 16;

/** How much of a secret must remain at the edge of a cut text to be replaced. */
const MIN_EDGE_CHARS = 4;

/** Where a text was cut, possibly in the middle of a secret. */
export interface TextCut {
  readonly start?: boolean;
  readonly end?: boolean;
}

/**
 * All forms of a secret: as it is, percent-encoded, in base64 at any offset, escaped as JSON or for display, and the long
 * lines of a multi-line secret.
 */
export function secretForms(secret: string): readonly string[] {
  if (secret.length < MIN_SECRET_CHARS) return [];
  const trimmed = secret.trim();
  const forms = [
    secret,
    trimmed,
    JSON.stringify(trimmed).slice(1, -1),
    escapeForDisplay(trimmed),
    ...percentEncoded(trimmed),
    ...base64Parts(trimmed),
    ...(trimmed.includes("\n")
      ? trimmed.split("\n").flatMap((line) => (line.trim().length >= MIN_LINE_CHARS ? [line.trim()] : []))
      : []),
  ];
  return [...new Set(forms)].filter((form) => form.length >= MIN_SECRET_CHARS);
}

/** The text with every occurrence of a form replaced. Overlapping occurrences are replaced together. */
export function replaceForms(text: string, forms: readonly string[], cut: TextCut = {}): string {
  const ranges = [...forms.flatMap((form) => occurrences(text, form)), ...edges(text, forms, cut)];
  if (ranges.length === 0) return text;
  let result = "";
  let done = 0;
  for (const [start, end] of ranges.sort(([a], [b]) => a - b)) {
    if (start >= done) result += `${text.slice(done, start)}${REDACTED}`;
    done = Math.max(done, end);
  }
  return result + text.slice(done);
}

type Range = readonly [start: number, end: number];

function occurrences(text: string, form: string): Range[] {
  const found: Range[] = [];
  for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1))
    found.push([at, at + form.length]);
  return found;
}

/** The rest of a form at the start of a cut text, and its beginning at the end. */
function edges(text: string, forms: readonly string[], cut: TextCut): Range[] {
  if (!cut.start && !cut.end) return [];
  return forms.flatMap((form) => {
    const lengths = Array.from({ length: form.length - 1 }, (_, at) => form.length - 1 - at);
    const long = lengths.filter((length) => length >= MIN_EDGE_CHARS && length <= text.length);
    const atStart = cut.start ? long.find((length) => text.startsWith(form.slice(-length))) : undefined;
    const atEnd = cut.end ? long.find((length) => text.endsWith(form.slice(0, length))) : undefined;
    return [
      ...(atStart === undefined ? [] : [[0, atStart] as const]),
      ...(atEnd === undefined ? [] : [[text.length - atEnd, text.length] as const]),
    ];
  });
}

function percentEncoded(secret: string): string[] {
  try {
    const encoded = encodeURIComponent(secret);
    const lowerCase = encoded.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase());
    const inForm = new URLSearchParams([["", secret]]).toString().slice(1);
    return [encoded, lowerCase, inForm];
  } catch {
    return []; // A lone surrogate has no encoding.
  }
}

/**
 * The base64 digits that depend on the secret alone, for each position of its first byte in a group of three: a secret
 * inside a longer encoded text, such as `user:password`, is found as well.
 */
function base64Parts(secret: string): string[] {
  const bytes = Buffer.from(secret, "utf8");
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    const whole = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    if (whole.length < MIN_BASE64_CHARS) return [];
    return [whole, whole.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
