/** Returns why a value must not be used, or nothing. The answer never contains the value. */
export type Check = (value: string) => string | undefined;

// oxlint-disable-next-line no-control-regex -- the expression looks for them
const LINE_OR_NUL = /[\0\r\n]/;
// A header value may contain tabs, visible ASCII and the upper half of Latin-1.
const HEADER_VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** For a command, an argument or a folder. */
export const checkArgument: Check = (value) =>
  LINE_OR_NUL.test(value) ? "contains a line break or NUL; remove it" : undefined;

export const checkCommand: Check = (value) =>
  value.trim() === "" ? "is empty; name the program to start" : checkArgument(value);

export const checkEnvName: Check = (name) =>
  name === "" || /[=\0]/.test(name) ? "is not a valid variable name; rename it" : undefined;

/** Values of variables may have several lines: keys often do. */
export const checkEnvValue: Check = (value) => (value.includes("\0") ? "contains NUL; remove it" : undefined);

export const checkHeaderName: Check = (name) =>
  HEADER_NAME.test(name) ? undefined : "is not a valid header name; rename it";

export const checkHeaderValue: Check = (value) => {
  if (LINE_OR_NUL.test(value)) return "contains a line break or NUL; remove it (often at the end of a token)";
  return HEADER_VALUE.test(value) ? undefined : "contains a character that a header cannot carry; remove it";
};

export const checkUrl: Check = (value) => {
  // The URL parser silently removes line breaks, so two different texts would be one address.
  if (/[\0-\u001f]/.test(value)) return "contains a control character; remove it";
  if (!URL.canParse(value)) return "is not a URL; write it as https://host/path";
  const url = new URL(value);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return "is neither an http nor an https URL; use one of them";
  if (url.username || url.password) return 'contains a user or password; put them into "headers"';
  return undefined;
};
