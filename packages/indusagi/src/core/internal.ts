export { REDACTED, Redactor, redactText, SECRET_OPTION, secretValues } from "./redact/index.ts";
export { onStreamEnd } from "./signals/on-stream-end.ts";
export { clampText } from "./text/clamp-text.ts";
export { magicFormat } from "./text/magic-bytes.ts";
export { wholeCharactersEnd, wholeCharactersStart } from "./text/utf8-edges.ts";
export { PACKAGE_VERSION } from "./version.ts";
