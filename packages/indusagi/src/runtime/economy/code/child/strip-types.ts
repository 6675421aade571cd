import { decode } from "@jridgewell/sourcemap-codec";
import { transform } from "sucrase";

/** A program as QuickJS runs it, and where its parts come from. */
export interface PlainProgram {
  readonly code: string;
  /** The position in the model's own code. Lines and columns count from 1. */
  readonly place: (line: number, column: number) => Place;
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/** The text before the model's code, on the same line: its lines keep their numbers. */
const HEAD = '(async () => {"use strict"; ';

/** The code as an async function, without its types. Throws a `SyntaxError` with a `place`. */
export function stripTypes(written: string): PlainProgram {
  const source = `${HEAD}${written}\n})`;
  const ownPlace = (line: number, column: number): Place => ({
    line,
    column: Math.max(1, line === 1 ? column - HEAD.length : column),
  });
  try {
    const { code, sourceMap } = transform(source, {
      transforms: ["typescript"],
      disableESTransforms: true,
      preserveDynamicImport: true,
      // An import fails, as it should, even if nothing uses it.
      keepUnusedImports: true,
      filePath: "program.ts",
      sourceMapOptions: { compiledFilename: "program.js" },
    });
    // Decoded for the first error only.
    const lines = () => decode(sourceMap?.mappings ?? "");
    return {
      code,
      place: (line, column) => {
        const before = (lines()[line - 1] ?? []).filter(([generated]) => generated <= column - 1);
        const [generated = 0, , sourceLine, sourceColumn] = before.at(-1) ?? [];
        if (sourceLine === undefined || sourceColumn === undefined) return ownPlace(line, column);
        return ownPlace(sourceLine + 1, sourceColumn + 1 + (column - 1 - generated));
      },
    };
  } catch (thrown) {
    const { message, loc } = thrown as { readonly message: string; readonly loc?: Place };
    // The message begins with what was going wrong and ends with the position in the wrapped text.
    const text = message.replace(/^Error transforming \S+: /, "").replace(/ \(\d+:\d+\)$/, "");
    const lines = written.split("\n");
    // Our own bracket at the end was read as the program's.
    if (loc && loc.line > lines.length) {
      const place = { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
      throw Object.assign(new SyntaxError("a bracket is not closed at the end of the program"), { place });
    }
    throw Object.assign(new SyntaxError(text), loc && { place: ownPlace(loc.line, loc.column) });
  }
}
