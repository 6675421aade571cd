/** One key, or one pasted text. */
export interface Key {
  /** The name of a key without text, such as `left`, and of letters with Ctrl or Alt. `paste` for pasted text. */
  readonly name: string;
  /** The text that it types. Empty for other keys. */
  readonly text: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
}

/** A key from Node's key parser. */
export interface Keypress {
  readonly sequence?: string | undefined;
  readonly name?: string | undefined;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
}

/** Characters that a prompt cannot show. Tabs and line breaks are kept. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** Esc followed by Ctrl-C within half a second: Node waits that long for the rest of a sequence, and has no name for this one. */
const ESCAPE_THEN_INTERRUPT = /^\u001b+\u0003$/;

/** Joins the keys of one paste: everything between its marks is text. */
export class KeyJoiner {
  #pasted: string | undefined;

  /** Returns a key when it is complete. */
  take(press: Keypress): Key | undefined {
    const { sequence = "", name = "", ctrl = false, meta = false } = press;
    if (name === "paste-start") {
      this.#pasted = "";
      return undefined;
    }
    if (name === "paste-end") {
      const text = (this.#pasted ?? "").replaceAll(/\r\n?/g, "\n").replaceAll(CONTROL, "");
      this.#pasted = undefined;
      return { name: "paste", text, ctrl: false, alt: false };
    }
    if (this.#pasted !== undefined) {
      this.#pasted += sequence;
      return undefined;
    }
    if (ESCAPE_THEN_INTERRUPT.test(sequence)) return { name: "c", text: "", ctrl: true, alt: false };
    const text = ctrl || meta ? "" : sequence.replaceAll(CONTROL, "").replaceAll("\t", "");
    // An unknown escape sequence has no name. It must not be typed as text.
    const isText = text !== "" && !sequence.startsWith("\u001b");
    return { name: name || (isText ? text : "unknown"), text: isText ? text : "", ctrl, alt: meta };
  }
}
