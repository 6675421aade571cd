export {
  appendLines,
  endOf,
  type LinePlace,
  lineFiles,
  readLines,
  readSince,
} from "./line-file.ts";
export { type LineWriter, type LineWriterOptions, openLineWriter } from "./line-writer.ts";
export { parseLine } from "./parse-line.ts";
