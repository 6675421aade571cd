import { foldLine, type Look } from "../../../screen/internal.ts";
import { type AreaCursor, liveArea, type Terminal } from "../../../screen/terminal/index.ts";

/** The parts of the screen that change, from top to bottom. */
const PARTS = ["text", "tools", "question", "input"] as const;

type StagePart = (typeof PARTS)[number];

/** The screen of the interactive mode: lines that stay, and below them parts that are redrawn. */
export interface Stage extends Disposable {
  /** Adds lines that stay. They must be escaped already. */
  print(text: string): void;
  /** Like `print`, wrapped between words at the screen width. */
  printFolded(text: string): void;
  /** Replaces one of the parts. Its lines must be escaped already. */
  show(part: StagePart, lines: readonly string[], cursor?: AreaCursor): void;
  /** Draws pending changes immediately. */
  flush(): void;
  /** Clears the screen and draws the parts at its top. */
  clear(): void;
  readonly look: Look;
  readonly width: number;
  readonly height: number;
}

/** One frame: many pieces of text arrive between two draws. */
const FRAME_MS = 16;

export function openStage(terminal: Pick<Terminal, "out" | "outLook">): Stage {
  return new DrawnStage(terminal);
}

interface Part {
  readonly lines: readonly string[];
  readonly cursor?: AreaCursor | undefined;
}

class DrawnStage implements Stage {
  readonly #terminal: Pick<Terminal, "out" | "outLook">;
  readonly #area: ReturnType<typeof liveArea>;
  readonly #parts = new Map<StagePart, Part>();
  #printed = "";
  /** Collects the output of one draw, to write it at once without flicker. */
  #drawn = "";
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(terminal: Pick<Terminal, "out" | "outLook">) {
    this.#terminal = terminal;
    this.#area = liveArea({
      out: (text) => void (this.#drawn += String(text)),
      get outLook() {
        return terminal.outLook ?? {};
      },
    });
  }

  get look(): Look {
    return this.#terminal.outLook ?? {};
  }

  get width(): number {
    return this.look.width ?? 80;
  }

  get height(): number {
    return this.look.height ?? 24;
  }

  print(text: string): void {
    this.#printed += text.endsWith("\n") ? text : `${text}\n`;
    if (this.#isClosed) this.flush();
    else this.#schedule();
  }

  printFolded(text: string): void {
    // The last column stays free: some terminals wrap there.
    const lines = text.split("\n").flatMap((line) => foldLine(line, this.width - 1));
    this.print(`${lines.join("\n")}\n`);
  }

  show(part: StagePart, lines: readonly string[], cursor?: AreaCursor): void {
    this.#parts.set(part, { lines, cursor });
    this.#schedule();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const printed = this.#printed;
    this.#printed = "";
    if (printed !== "") {
      this.#area.show("");
      this.#drawn += printed;
    }
    if (!this.#isClosed) this.#draw();
    this.#write();
  }

  clear(): void {
    this.#area.show("");
    this.#drawn += "\u001b[2J\u001b[H";
    this.flush();
  }

  [Symbol.dispose](): void {
    this.#parts.clear();
    this.flush();
    this.#isClosed = true;
  }

  #write(): void {
    const drawn = this.#drawn;
    this.#drawn = "";
    if (drawn !== "") this.#terminal.out(drawn);
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => this.flush(), FRAME_MS);
  }

  #draw(): void {
    const lines: string[] = [];
    let cursor: AreaCursor | undefined;
    for (const name of PARTS) {
      const part = this.#parts.get(name);
      if (!part) continue;
      if (part.cursor) cursor = { ...part.cursor, line: part.cursor.line + lines.length };
      lines.push(...part.lines);
    }
    this.#area.show(lines.join("\n"), cursor);
  }
}
