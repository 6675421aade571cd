import { isRecord } from "../../../core/internal.ts";
import type { Caller } from "../../../runtime/index.ts";
import { withoutEnvelope } from "../../content/index.ts";
import { ProtocolFault, type RawResult, type TaskProvider } from "../../contract/index.ts";
import { renameInQuestions, renameInResult } from "../names/rename-uris.ts";
import type { TaskHandles, TaskRef } from "../names/task-handles.ts";
import { passOn } from "./relay-failures.ts";
import { passedOn, type RelayParts } from "./relay-parts.ts";
import { isInScope, type RelayScope } from "./relay-scope.ts";
import { TaskWatches } from "./watch-tasks.ts";

/** The tasks of modern servers, under handles that only their own clients can use. */
export function taskProvider(parts: RelayParts, scope: RelayScope, handles: TaskHandles): TaskProvider {
  /** The task of a caller, unless it may not use the server any more. */
  const opened = (taskId: string, caller: Caller): TaskRef | undefined => {
    const task = handles.open(taskId, caller.principal);
    return task && isInScope(scope, task.server, caller) ? task : undefined;
  };
  /** A state as its client sees it. On the route of one server nothing is renamed. */
  const shown = (server: string, taskId: string, state: RawResult, caller: Caller): RawResult => {
    const answer = withoutEnvelope(state);
    const renaming = parts.names.inResults(server, caller);
    const { result, inputRequests } = answer;
    const isRenamed = scope.only === undefined;
    return {
      ...answer,
      ...("taskId" in answer && { taskId }),
      ...(isRecord(result) && {
        result: withoutEnvelope(isRenamed ? renameInResult(result, renaming) : result),
      }),
      ...(isRenamed &&
        isRecord(inputRequests) && {
          inputRequests: renameInQuestions(inputRequests as never, renaming),
        }),
    };
  };
  const provider: TaskProvider = {
    handleOf: (task, { principal }) => {
      const handle = handles.seal(task, principal);
      if (handle !== undefined) return handle;
      const message = `server "${task.server}" created a task whose id is too long to be passed on`;
      throw new ProtocolFault("protocol", message, { server: task.server });
    },
    request: (method, { taskId, inputResponses }, request) => {
      const { caller } = request;
      const task = opened(taskId, caller);
      if (!task) return undefined;
      const { server, id } = task;
      const asked = { method, params: { taskId: id, ...(inputResponses && { inputResponses }) } };
      const send = async (): Promise<RawResult> => {
        await parts.begun();
        const asking = parts.relay.task(server, asked, passedOn(parts, { scope, server }, request));
        return shown(server, taskId, await passOn(asking, caller), caller);
      };
      return send();
    },
    watch: (taskId, listener, request) => {
      const task = opened(taskId, request.caller);
      return task && watches.add({ ...task, taskId, listener }, request);
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
