export {
  appendLines,
  endOf,
  type LinePlace,
  lineFiles,
  parseLine,
  readLines,
  readSince,
} from "./line-file.ts";
export { openLineWriter } from "./line-writer.ts";
