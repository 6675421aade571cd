import { Listeners } from "indusagi/core";
import type { ModelPort } from "indusagi/llm";
import type { SessionParts } from "./session-parts.ts";

/** The model of a session, which may be replaced between two requests. */
export interface SessionModel {
  readonly id: string;
  /** Always asks the current model. */
  readonly port: ModelPort;
  readonly windowTokens: number;
  /** Calls the listener after each change of the model. Returns a function that removes it. */
  onChange(listener: () => void): () => void;
  /** Throws if the model cannot be used. False: it is the current one. */
  change(name: string): boolean;
}

/** Throws if the first model cannot be used. */
export function createSessionModel(
  { models, model: first }: Pick<SessionParts, "models" | "model">,
  notice: (message: string) => void,
): SessionModel {
  let current = models.open(first, notice);
  const listeners = new Listeners();
  return {
    get id() {
      return current.id;
    },
    get windowTokens() {
      return models.windowTokens(current.id);
    },
    port: {
      get id() {
        return current.id;
      },
      stream: (request, signal) => current.stream(request, signal),
    },
    onChange: (listener) => listeners.add(listener),
    change: (name) => {
      if (name === current.id) return false;
      current = models.open(name, notice);
      listeners.emit();
      return true;
    },
  };
}
