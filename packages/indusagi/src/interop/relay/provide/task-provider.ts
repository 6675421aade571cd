import { isRecord } from "../../../core/internal.ts";
import type { Caller } from "../../../runtime/index.ts";
import { taskKindIn, withoutEnvelope } from "../../content/index.ts";
import {
  Extension,
  isProtocolFault,
  ProtocolFault,
  type ProviderRequest,
  type RawResult,
  type RelayOptions,
  type TaskKind,
  type TaskProvider,
} from "../../contract/index.ts";
import type { DeclaredCapabilities } from "../missing-capability.ts";
import { renameInQuestions, renameInResult } from "../names/rename-uris.ts";
import type { TaskHandles, TaskRef } from "../names/task-handles.ts";
import { passedOn, passOn, type RelayParts } from "./relay-parts.ts";
import { isInScope, type RelayScope } from "./relay-scope.ts";
import { TaskWatches } from "./watch-tasks.ts";

export interface TaskProviderOptions {
  readonly scope: RelayScope;
  /** Absent: on the route of one server, its tasks keep their ids. */
  readonly handles?: TaskHandles | undefined;
  readonly declared: () => DeclaredCapabilities;
}

/** A client waits for a result as long as it likes. This ends an abandoned wait. */
const WAIT_MS = 24 * 60 * 60_000;

/** The tasks of servers, under handles that only their own clients can use. */
export function taskProvider(
  parts: RelayParts,
  { scope, handles, declared }: TaskProviderOptions,
): TaskProvider {
  /** The task of a caller, unless it may not use the server any more. */
  const opened = (taskId: string, caller: Caller): TaskRef | undefined => {
    const task = handles ? handles.open(taskId, caller.principal) : ownTask(scope, taskId);
    return task && isInScope(scope, task.server, caller) ? task : undefined;
  };
  const shownResult = (result: RawResult, server: string, caller: Caller): RawResult =>
    withoutEnvelope(
      scope.only === undefined ? renameInResult(result, parts.names.inResults(server, caller)) : result,
    );
  /** A state as its client sees it. On the route of one server nothing is renamed. */
  const shown = (server: string, taskId: string, state: RawResult, caller: Caller): RawResult => {
    const answer = withoutEnvelope(state);
    const { result, inputRequests } = answer;
    return {
      ...answer,
      ...("taskId" in answer && { taskId }),
      ...(isRecord(result) && { result: shownResult(result, server, caller) }),
      ...(scope.only === undefined &&
        isRecord(inputRequests) && {
          inputRequests: renameInQuestions(inputRequests as never, parts.names.inResults(server, caller)),
        }),
    };
  };
  const provider: TaskProvider = {
    handleOf: (task, { principal }) => {
      const handle = handles ? handles.seal(task, principal) : task.id;
      if (handle !== undefined) return handle;
      const message = `server "${task.server}" created a task whose id is too long to be passed on`;
      throw new ProtocolFault("protocol", message, { server: task.server });
    },
    request: (method, { taskId, inputResponses, stateOnly }, request) => {
      const { caller } = request;
      const task = opened(taskId, caller);
      if (!task) return undefined;
      const { server, id } = task;
      const params = {
        taskId: id,
        ...(inputResponses && { inputResponses }),
        ...(stateOnly && { stateOnly }),
      };
      const send = async (): Promise<RawResult> => {
        await parts.begun();
        const asking = parts.relay.task(
          server,
          { method, params },
          sentFor(parts, { scope, server }, request),
        );
        return shown(server, taskId, await passOn(asking, caller), caller);
      };
      return send();
    },
    watch: (taskId, listener, request) => {
      const task = opened(taskId, request.caller);
      return task && watches.add({ ...task, taskId, listener }, request);
    },
    wait: (taskId, request) => {
      const task = opened(taskId, request.caller);
      if (!task) return undefined;
      const { server, id } = task;
      const wait = async (): Promise<RawResult | undefined> => {
        await parts.begun();
        const options = { ...sentFor(parts, { scope, server }, request), timeoutMs: WAIT_MS };
        const waiting = parts.relay.task(server, { method: "tasks/result", params: { taskId: id } }, options);
        const answer = await waiting.catch((thrown: unknown) => {
          if (isProtocolFault(thrown) && thrown.reason === "unsupported") return undefined;
          return passOn(Promise.reject(thrown as Error), request.caller);
        });
        return answer && shownResult(answer, server, request.caller);
      };
      return wait();
    },
    kinds: () => {
      const kinds = new Map<string, TaskKind>();
      for (const [server, capabilities] of declared()) {
        const kind = taskKindIn(capabilities);
        if (kind) kinds.set(server, kind);
      }
      return kinds;
    },
  };
  const watches = new TaskWatches({
    fleet: parts.fleet,
    look: (taskId, request) => provider.request("tasks/get", { taskId }, request),
    shown: ({ server, taskId }, state, { caller }) =>
      opened(taskId, caller) && shown(server, taskId, state, caller),
  });
  return provider;
}

function ownTask({ only: server }: RelayScope, id: string): TaskRef | undefined {
  return server === undefined ? undefined : { server, id };
}

/** What is sent with a request about a task. A server with the extension requires that its client follows tasks, and we do. */
function sentFor(
  parts: RelayParts,
  target: { readonly scope: RelayScope; readonly server: string },
  request: ProviderRequest,
): RelayOptions {
  const { caller, ...options } = passedOn(parts, target, request);
  if (!caller) return options;
  const extensions = { ...caller.can.extensions, [Extension.TASKS]: {} };
  return { ...options, caller: { ...caller, can: { ...caller.can, extensions } } };
}
