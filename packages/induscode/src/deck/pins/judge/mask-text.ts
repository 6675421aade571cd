const MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december";
const DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday";
const SHORT = "jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun";

/** Digits of any script, with the separators of times and large numbers. */
const NUMBERS = /\p{Nd}+(?:[.,:'’]\p{Nd}+)*/gu;
const NAMES = new RegExp(`\\b(?:${MONTHS}|${DAYS})\\b`, "gi");
/** A short name counts only beside a number: "may" and "sun" are also words. */
const SHORT_NAMES = new RegExp(
  `\\b(?:${SHORT})\\b(?=[.,]?\\s*#)|(?<=#(?:st|nd|rd|th)?[.,]?\\s*)\\b(?:${SHORT})\\b`,
  "gi",
);
const HALF_DAYS = /#\s*[ap]\.?m\b\.?/gi;
const ADJACENT = /#(?:[\s,.]*#)+/g;

/** A text in which every number and date is the same sign, so that two texts which differ only in those are equal. */
export function maskText(text: string): string {
  const numbers = text.replace(NUMBERS, "#").replace(NAMES, "#");
  // Twice: the first name of "Mon Nov 16" stands beside a number only when the second one is masked.
  const names = numbers.replace(SHORT_NAMES, "#").replace(SHORT_NAMES, "#");
  return names.replace(HALF_DAYS, "#").replace(ADJACENT, "#");
}
