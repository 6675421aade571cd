import type { ByteText } from "../search-job.ts";

export interface TextMatcher {
  test(text: ByteText): boolean;
}

/**
 * Matches whole texts in linear time: it follows all paths through the expression at once (a Thompson automaton), where
 * RegExp would backtrack. The expression is given in pieces: `(?:`, `|`, `)`, the loops `.*` and `[^/]*`, and
 * expressions for one byte. Part of the worker's text: it must not use anything from outside its own braces.
 */
export function linearMatchers(): (pieces: readonly string[]) => TextMatcher {
  const tables = new Map<string, Uint8Array>();

  /** The bytes that a one-byte expression matches. */
  function bytesOf(expression: string): Uint8Array {
    const known = tables.get(expression);
    if (known) return known;
    const one = new RegExp(`^${expression}$`, "s");
    const table = Uint8Array.from({ length: 256 }, (_, byte) => Number(one.test(String.fromCharCode(byte))));
    tables.set(expression, table);
    return table;
  }

  /** For each piece, the pieces that can follow without reading a byte. */
  function emptyMoves(pieces: readonly string[]): number[][] {
    const moves = pieces.map((): number[] => []);
    const open: { readonly starts: number[]; readonly bars: number[] }[] = [];
    for (const [at, piece] of pieces.entries()) {
      const group = open.at(-1);
      if (piece === "(?:") {
        const starts = [at + 1];
        moves[at] = starts;
        open.push({ starts, bars: [] });
      } else if (piece === "|") {
        group?.starts.push(at + 1);
        group?.bars.push(at);
      } else if (piece === ")") {
        open.pop();
        for (const end of [...(group?.bars ?? []), at]) moves[end] = [at + 1];
      } else if (isLoop(piece)) moves[at] = [at + 1];
    }
    return moves;
  }

  function isLoop(piece: string): boolean {
    return piece === ".*" || piece === "[^/]*";
  }

  function tableOf(piece: string): Uint8Array | undefined {
    if (piece === "(?:" || piece === "|" || piece === ")") return undefined;
    return bytesOf(isLoop(piece) ? piece.slice(0, -1) : piece);
  }

  return (pieces) => {
    const moves = emptyMoves(pieces);
    const tables = pieces.map(tableOf);
    const after = pieces.map((piece, at) => (isLoop(piece) ? at : at + 1));
    const reachedAt = new Int32Array(pieces.length + 1);

    /** The pieces that can read the next byte. `time` marks the pieces already reached. */
    function follow(places: number[], time: number): number[] {
      const readers: number[] = [];
      for (let place = places.pop(); place !== undefined; place = places.pop()) {
        if (reachedAt[place] === time) continue;
        reachedAt[place] = time;
        if (tables[place]) readers.push(place);
        for (const next of moves[place] ?? []) places.push(next);
      }
      return readers;
    }

    function test(text: ByteText): boolean {
      reachedAt.fill(0);
      let readers = follow([0], 1);
      for (let at = 0; at < text.length && readers.length > 0; at++) {
        const byte = text.charCodeAt(at);
        const next: number[] = [];
        for (const reader of readers) if (tables[reader]?.[byte]) next.push(after[reader] ?? reader);
        readers = follow(next, at + 2);
      }
      return reachedAt[pieces.length] === text.length + 1;
    }

    return { test };
  };
}
