import { MessageScanner } from "./frames/message-scanner.ts";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const COLON = 0x3a;

/** Reads an event stream event by event, and the message in each, without keeping the bytes. */
export class EventScanner {
  /** The message in the current event. */
  message: MessageScanner = new MessageScanner();
  #field = "";
  #part: "field" | "data" | "other" = "field";
  #hasContent = false;
  #wasReturn = false;

  /** Reads to the end of the current event; returns the index after it, or -1 if it continues. */
  push(bytes: Uint8Array, from = 0): number {
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      const isRest = byte === LINE_FEED && this.#wasReturn; // Second byte of CRLF.
      this.#wasReturn = byte === CARRIAGE_RETURN;
      if (isRest) continue;
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) {
        if (this.#isBlank()) return at + 1;
      } else if (this.#part === "field") this.#readField(byte);
      else at = this.#readValue(bytes, at);
    }
    return -1;
  }

  /** Starts the next event. */
  next(): void {
    this.message = new MessageScanner();
  }

  /** At the end of a line: true if the line is empty and ends an event. */
  #isBlank(): boolean {
    const isBlank = this.#part === "field" && this.#field === "";
    const hasEnded = isBlank && this.#hasContent;
    this.#hasContent = !isBlank;
    this.#part = "field";
    this.#field = "";
    return hasEnded;
  }

  #readField(byte: number): void {
    if (byte === COLON) this.#part = this.#field === "data" ? "data" : "other";
    else if (this.#field.length < 8) this.#field += String.fromCharCode(byte);
  }

  /** Returns the index of the last byte of the value in this piece. */
  #readValue(bytes: Uint8Array, start: number): number {
    let end = start;
    while (end < bytes.length && bytes[end] !== LINE_FEED && bytes[end] !== CARRIAGE_RETURN) end += 1;
    if (this.#part === "data") this.message.push(bytes.subarray(start, end));
    return end - 1;
  }
}
