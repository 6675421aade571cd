/** Records that are written together. */
export interface RecordBlock {
  readonly bytes: Uint8Array;
  readonly lastSeq: number;
  /** Called when the block is flushed, before its entries are acknowledged. */
  readonly flushed?: () => void;
}

/** The maximum size of one write, unless a single record is larger. Entries that arrive meanwhile share the next flush. */
export const MAX_BLOCK_BYTES: number = 1024 * 1024;

/** Formats entries as blocks of records, numbered from `nextSeq`. */
export function recordBlocks<Entry>(
  entries: readonly Entry[],
  nextSeq: number,
  recordOf: (entry: Entry, seq: number) => Uint8Array,
): RecordBlock[] {
  const blocks: RecordBlock[] = [];
  let block: Uint8Array[] = [];
  let blockBytes = 0;
  const endBlock = (lastSeq: number): void => {
    if (block.length > 0) blocks.push({ bytes: Buffer.concat(block), lastSeq });
    block = [];
    blockBytes = 0;
  };
  for (const [index, entry] of entries.entries()) {
    const seq = nextSeq + index;
    const bytes = recordOf(entry, seq);
    if (blockBytes + bytes.length > MAX_BLOCK_BYTES) endBlock(seq - 1);
    block.push(bytes);
    blockBytes += bytes.length;
  }
  endBlock(nextSeq + entries.length - 1);
  return blocks;
}
