/** The last known catalogue of each server, and what clients see of it. */
export const catalogue = {
  "catalogue:launch-hash":
    "The hash of a launch covers command, arguments, folder, URL, and variables and headers as written; nothing else changes it",
  "catalogue:round-trip": "An entry that was written is read again as it was, in this process and in another",
  "catalogue:launch-changed": "An entry is never used for another launch, even under its file name",
  "catalogue:damaged":
    "A damaged file counts as absent and is reported in one line; the next listing replaces it",
  "catalogue:private": "Only the owner can read a catalogue, and a file that is replaced is always whole",
  "catalogue:bounded": "The size of an entry and the number of entries are limited",
  "catalogue:concurrent":
    "Several processes write one catalogue at the same time, and every file stays whole",
  "catalogue:failures": "Failed starts are counted until one succeeds, and the last good listing stays",
} as const;
