/** Why a value must not be used, or nothing. The value itself is never part of the answer. */
export type Check = (value: string) => string | undefined;

// oxlint-disable-next-line no-control-regex -- these are what is looked for
const LINE_OR_NUL = /[\0\r\n]/;
// What a header value may hold: a tab, visible ASCII, and the upper half of Latin-1.
const HEADER_VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** A command, an argument or a folder: one line, and no end in its middle. */
export const checkArgument: Check = (value) =>
  LINE_OR_NUL.test(value) ? "holds a line break or NUL; take it out" : undefined;

export const checkCommand: Check = (value) =>
  value.trim() === "" ? "is empty; name the program to start" : checkArgument(value);

export const checkEnvName: Check = (name) =>
  name === "" || /[=\0]/.test(name) ? "has a name no variable can have; rename it" : undefined;

/** Values of variables may have several lines (keys often do). */
export const checkEnvValue: Check = (value) => (value.includes("\0") ? "holds NUL; take it out" : undefined);

export const checkHeaderName: Check = (name) =>
  HEADER_NAME.test(name) ? undefined : "has a name no header can have; rename it";

export const checkHeaderValue: Check = (value) => {
  if (LINE_OR_NUL.test(value))
    return "holds a line break or NUL; take it out (look for one at the end of a token)";
  return HEADER_VALUE.test(value) ? undefined : "holds a character no header can carry; take it out";
};

export const checkUrl: Check = (value) => {
  // The URL parser drops line breaks silently: two different texts would be one address.
  if (/[\0-\u001f]/.test(value)) return "holds a control character; take it out";
  if (!URL.canParse(value)) return "is no address; write it as https://host/path";
  const url = new URL(value);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return "is neither http nor https; write such an address";
  if (url.username || url.password) return 'holds a user or password; put them into "headers"';
  return undefined;
};
