import { StringDecoder } from "node:string_decoder";

/** One key, or one pasted text. */
export interface Key {
  /**
   * The name of a key without text, such as `left` or `shift-tab`, and of letters with Ctrl or Alt. `paste` for text that
   * came at once: marked by the terminal, or several characters in one piece.
   */
  readonly name: string;
  /** The text that it types. Empty for other keys. */
  readonly text: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
}

/** The key with its modifiers, such as `ctrl-c`. */
export function keyName({ name, ctrl, alt }: Key): string {
  return `${ctrl ? "ctrl-" : ""}${alt ? "alt-" : ""}${name}`;
}

const ESCAPE = "\u001b";
/** Esc begins the sequences of other keys. It is the Esc key if nothing follows for this long. */
const ESCAPE_MS = 300;
/** Alt sends Esc and the key together. A key that comes later than this was pressed after Esc. */
const ALT_MS = 50;

const CSI = /(\u001b?)\u001b\[(?:\[[A-E]|([\d;:<=>?]*)[ -/]*([@-~]))/y;
const SS3 = /(\u001b?)\u001bO([ -~])/y;
/** Esc then Ctrl-C is Ctrl-C: whoever presses both wants to stop. */
const ESCAPE_THEN_INTERRUPT = /\u001b+\u0003/y;
const ALT = /\u001b([^\u001b])/uy;
/** A sequence whose rest has not arrived. It has no time limit: only Alt-[ looks the same, and its key does nothing. */
const UNFINISHED_CSI = /\u001b{1,2}\[[ -?]*$/y;
/** Esc, or the beginning of a sequence. */
const UNFINISHED = /\u001b{1,2}O?$/y;
const TEXT = /[^\u0000-\u001f\u007f-\u009f]+/y;
const PASTE_END = "\u001b[201~";
/** Characters that a prompt cannot show. Tabs and line breaks are kept. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Reads keys from the bytes of a terminal, however they are cut into pieces. */
export class KeyDecoder {
  readonly #emit: (key: Key) => void;
  readonly #escapeMs: number;
  readonly #bytes = new StringDecoder("utf8");
  /** The beginning of a sequence. */
  #held = "";
  #heldSinceMs = 0;
  /** The text of an open paste. */
  #pasted: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #check: NodeJS.Immediate | undefined;

  constructor(emit: (key: Key) => void, escapeMs: number = ESCAPE_MS) {
    this.#emit = emit;
    this.#escapeMs = escapeMs;
  }

  push(bytes: Uint8Array | string): void {
    const piece = typeof bytes === "string" ? bytes : this.#bytes.write(bytes);
    if (piece === "") return;
    this.close();
    // The end of a paste can get lost with the connection: Ctrl-C must still work.
    if (piece === "\u0003" && this.#pasted !== undefined) this.#endPaste();
    const isAfterEscape = this.#held === ESCAPE && this.#pasted === undefined;
    if (isAfterEscape && isAnotherKey(piece, performance.now() - this.#heldSinceMs)) this.#giveUp();
    const input = this.#held + piece;
    this.#held = "";
    let at = 0;
    while (at < input.length) {
      const next = this.#pasted === undefined ? this.#readKey(input, at) : this.#readPaste(input, at);
      if (next === undefined) {
        this.#hold(input.slice(at));
        break;
      }
      at = next;
    }
  }

  /** Stops waiting for the rest of a sequence. */
  close(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#check);
  }

  #hold(text: string): void {
    this.#held = text;
    this.#heldSinceMs = performance.now();
    UNFINISHED.lastIndex = 0;
    if (this.#pasted !== undefined || !UNFINISHED.test(text)) return;
    this.#timer = setTimeout(() => {
      // The program may have been busy: first read what has arrived meanwhile.
      this.#check = setImmediate(() => this.#giveUp());
    }, this.#escapeMs);
  }

  /** Nothing more came: the keys were Esc, or Alt-O. */
  #giveUp(): void {
    const held = this.#held;
    this.#held = "";
    if (held.endsWith("O")) this.#emit(special("O", { alt: true }));
    else for (const _ of held) this.#emit(special("escape"));
  }

  /** Emits the key at a position. Returns where the next begins, or undefined if this one is not complete. */
  #readKey(input: string, at: number): number | undefined {
    const match = (pattern: RegExp): RegExpExecArray | null => {
      pattern.lastIndex = at;
      return pattern.exec(input);
    };
    const text = match(TEXT);
    if (text) {
      const [typed] = text;
      const isOne =
        typed.length === 1 || (typed.length === 2 && typed.codePointAt(0) !== typed.charCodeAt(0));
      this.#emit({ name: isOne ? typed : "paste", text: typed, ctrl: false, alt: false });
      return at + typed.length;
    }
    if (input[at] !== ESCAPE) {
      this.#emit(controlKey(input.charAt(at)));
      return at + 1;
    }
    const interrupt = match(ESCAPE_THEN_INTERRUPT);
    if (interrupt) {
      this.#emit(special("c", { ctrl: true }));
      return at + interrupt[0].length;
    }
    const csi = match(CSI);
    if (csi) {
      const [all, alt, parameters = "", final = ""] = csi;
      if (parameters === "200" && final === "~") this.#pasted = "";
      else this.#emit(sequenceKey(parameters, final, alt !== ""));
      return at + all.length;
    }
    const ss3 = match(SS3);
    if (ss3) {
      const [all, alt, final = ""] = ss3;
      this.#emit(sequenceKey("", final, alt !== ""));
      return at + all.length;
    }
    if (match(UNFINISHED_CSI) ?? match(UNFINISHED)) return undefined;
    const alt = match(ALT);
    if (alt) {
      const [all, char = ""] = alt;
      this.#emit({ ...controlKey(char), text: "", alt: true });
      return at + all.length;
    }
    this.#emit(special("escape"));
    return at + 1;
  }

  /** Everything up to the end mark is text. */
  #readPaste(input: string, at: number): number | undefined {
    const end = input.indexOf(PASTE_END, at);
    if (end !== -1) {
      this.#pasted += input.slice(at, end);
      this.#endPaste();
      return end + PASTE_END.length;
    }
    // The mark may be cut.
    const cut = input.lastIndexOf(ESCAPE);
    const isMark = cut >= at && PASTE_END.startsWith(input.slice(cut));
    if (isMark && cut === at) return undefined;
    const next = isMark ? cut : input.length;
    this.#pasted += input.slice(at, next);
    return next;
  }

  #endPaste(): void {
    const text = (this.#pasted ?? "").replaceAll(/\r\n?/g, "\n").replaceAll(CONTROL, "");
    this.#pasted = undefined;
    this.#held = "";
    this.#emit({ name: "paste", text, ctrl: false, alt: false });
  }
}

/** Whether a piece after a lone Esc is a key of its own, not the rest of a sequence. */
function isAnotherKey(piece: string, afterMs: number): boolean {
  return piece.startsWith(ESCAPE) ? piece !== ESCAPE : afterMs > ALT_MS && !/^[[O]/.test(piece);
}

function special(name: string, modifiers: { readonly ctrl?: boolean; readonly alt?: boolean } = {}): Key {
  return { name, text: "", ctrl: modifiers.ctrl ?? false, alt: modifiers.alt ?? false };
}

const CONTROL_KEYS: { readonly [char: string]: string } = {
  "\r": "return",
  "\n": "enter",
  "\t": "tab",
  "\b": "backspace",
  "\u007f": "backspace",
};

/** A control character, or the character that Alt was pressed with. */
function controlKey(char: string): Key {
  const name = CONTROL_KEYS[char];
  if (name !== undefined) return special(name);
  const code = char.codePointAt(0) ?? 0;
  if (code >= 1 && code <= 26) return special(String.fromCharCode(code + 96), { ctrl: true });
  return special(code < 32 || (code >= 127 && code < 160) ? "unknown" : char);
}

const FINAL_KEYS: { readonly [final: string]: string } = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
  M: "return", // The keypad.
  Z: "shift-tab",
};
/** The keys before `~`. */
const NUMBERED_KEYS: { readonly [number: string]: string } = {
  1: "home",
  3: "delete",
  4: "end",
  7: "home",
  8: "end",
};
/** The keys that newer terminals send by their code. */
const CODED_KEYS: { readonly [code: number]: string } = {
  8: "backspace",
  9: "tab",
  13: "return",
  27: "escape",
  127: "backspace",
};

/** A key by its sequence. A modifier is one more than a sum: 1 for Shift, 2 for Alt, 4 for Ctrl. */
function sequenceKey(parameters: string, final: string, isAlt: boolean): Key {
  const numbers = parameters.split(";").map((each) => Number.parseInt(each, 10) || 0);
  const [first = 0, second = 0, third = 0] = numbers;
  const isCoded = final === "u" || (final === "~" && first === 27 && numbers.length > 2);
  const bits = Math.max(0, second - 1);
  const [shift, alt, ctrl] = [(bits & 1) > 0, (bits & 2) > 0 || isAlt, (bits & 4) > 0];
  if (isCoded) return codedKey(final === "u" ? first : third, { shift, alt, ctrl });
  const name = final === "~" ? NUMBERED_KEYS[first] : FINAL_KEYS[final];
  return special(name ?? "unknown", { ctrl, alt });
}

function codedKey(
  code: number,
  { shift, alt, ctrl }: { readonly shift: boolean; readonly alt: boolean; readonly ctrl: boolean },
): Key {
  const name = CODED_KEYS[code];
  // Enter with a modifier begins a new line.
  if (name === "return") return special(name, { alt: shift || alt || ctrl });
  if (name === "tab" && shift) return special("shift-tab", { ctrl, alt });
  if (name !== undefined) return special(name, { ctrl, alt });
  // Other codes are characters, or keys in the private area of Unicode.
  const isCharacter = code >= 32 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xf8ff);
  if (!isCharacter) return special("unknown");
  const char = String.fromCodePoint(code);
  return ctrl || alt
    ? special(char, { ctrl, alt })
    : { name: char, text: shift ? char.toUpperCase() : char, ctrl, alt };
}
