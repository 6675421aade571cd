/**
 * What runs inside QuickJS before a program: the names that the program uses. It is the text of a function that gets the four ways
 * out and returns the ways in. Only texts and numbers pass through them, so no object of the child's process can be reached from here.
 *
 * - `send(id, server, name, arguments)` calls a tool; it returns a text if the call cannot be made;
 * - `log(text)` writes a line; it returns a text once no more lines are kept;
 * - `wake(id, ms)` asks for `fire(id)` after a time;
 * - `done(kind, text)` ends the program.
 */
export const GUEST_SOURCE: string = String.raw`
"use strict";
(send, log, wake, done) => {
  const { parse, stringify } = JSON;
  const then = Promise.prototype.then;
  const waiting = new Map();
  const timers = new Map();
  let last = 0;

  class ToolError extends Error {
    constructor({ message, ...members }, trace) {
      super(message);
      Object.assign(this, members);
      this.stack = trace;
    }
  }
  Object.defineProperty(ToolError.prototype, "name", { value: "ToolError" });

  const plain = (key, value) => {
    if (typeof value === "bigint") return String(value);
    if (value instanceof Map) return Object.fromEntries(value);
    if (value instanceof Set) return [...value];
    if (value instanceof Error) return { name: value.name, message: value.message };
    return value;
  };

  const call = (server, name) => (input = {}) => {
    const trace = new Error().stack;
    return new Promise((resolve, reject) => {
      if (typeof input !== "object" || input === null || Array.isArray(input))
        throw new TypeError(server + "." + name + " takes one object with its arguments");
      const text = stringify(input, plain);
      if (typeof text !== "string" || text[0] !== "{")
        throw new TypeError(server + "." + name + ": the arguments are not JSON");
      const id = ++last;
      const problem = send(id, server, name, text);
      if (problem !== "") throw new ToolError({ message: problem, tool: server + "." + name }, trace);
      waiting.set(id, { resolve, reject, trace });
    });
  };

  const namespace = (server) => {
    const made = new Map();
    return new Proxy(Object.freeze(Object.create(null)), {
      get: (target, name) => {
        if (typeof name !== "string" || name === "then" || name === "toJSON") return undefined;
        if (!made.has(name)) made.set(name, call(server, name));
        return made.get(name);
      },
      has: (target, name) => typeof name === "string",
    });
  };

  const shown = (value) => {
    if (typeof value === "string" || typeof value === "bigint") return String(value);
    if (value instanceof Error) return value.name + ": " + value.message;
    try {
      return stringify(value, plain) ?? String(value);
    } catch {
      return Object.prototype.toString.call(value);
    }
  };
  let isFull = false;
  const write = (...values) => {
    if (!isFull) isFull = log(values.map(shown).join(" ")) !== "";
  };
  const define = (name, value) =>
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  const ways = ["log", "info", "warn", "error", "debug", "trace", "dir", "table", "group"];
  const silent = ["groupEnd", "time", "timeEnd", "clear"];
  const members = [...ways.map((name) => [name, write]), ...silent.map((name) => [name, () => {}])];
  define("console", Object.fromEntries(members));
  define("setTimeout", (run, ms = 0, ...given) => {
    if (typeof run !== "function") throw new TypeError("setTimeout takes a function");
    const id = ++last;
    const problem = wake(id, Number(ms) || 0);
    if (problem !== "") throw new RangeError(problem);
    timers.set(id, () => run(...given));
    return id;
  });
  define("clearTimeout", (id) => void timers.delete(id));
  define("ToolError", ToolError);

  const textOf = (value) => {
    try {
      return String(value);
    } catch {
      return "(a value without a text)";
    }
  };
  const failed = (error) => {
    const isError = typeof error === "object" && error !== null && "message" in error;
    const { name = "Error", message, stack = "", tool } = isError ? error : { message: textOf(error) };
    done("error", stringify({ name: textOf(name), message: textOf(message), stack: textOf(stack), tool }));
  };
  const ended = (value) => {
    if (value === undefined) return done("none", "");
    if (typeof value === "string") return done("text", value);
    let text;
    try {
      text = stringify(value, plain);
    } catch (error) {
      const cause = new TypeError("the program's return value is not JSON: " + textOf(error?.message ?? error));
      cause.stack = "";
      return failed(cause);
    }
    return text === undefined ? done("none", "") : done("json", text);
  };
  const failedSafely = (error) => {
    try {
      failed(error);
    } catch {
      done("error", '{"name":"Error","message":"the program threw a value that cannot be read","stack":""}');
    }
  };

  const answerOf = (kind, text) => {
    if (kind === "text") return text;
    const value = parse(text);
    if (kind === "json") return value;
    // A large result of a server, as it was received.
    if (kind === "typed" && value.structuredContent !== undefined) return value.structuredContent;
    const { content = [] } = value;
    return content.length === 1 && content[0]?.type === "text" ? content[0].text : content;
  };

  return {
    define: (names) => {
      for (const name of parse(names)) define(name, namespace(name));
    },
    start: (program) => {
      then.call(new Promise((resolve) => resolve(program())), ended).catch(failedSafely);
    },
    settle: (id, kind, text) => {
      const call = waiting.get(id);
      waiting.delete(id);
      if (!call) return;
      if (kind === "failed") return call.reject(new ToolError(parse(text), call.trace));
      try {
        call.resolve(answerOf(kind, text));
      } catch (error) {
        call.reject(error);
      }
    },
    fire: (id) => {
      const run = timers.get(id);
      timers.delete(id);
      run?.();
    },
  };
}
`;
