import type { LaunchAsWritten, PlainRow } from "indusagi/config";
import type { ClientId, ClientPlace, ClientScope } from "./client.ts";

/** A server in the file of another client. It is never started: importing it makes it ours. */
export interface ClientServer {
  readonly client: ClientId;
  readonly scope: ClientScope;
  readonly file: string;
  readonly name: string;
  /** The row in our form, with every variable as written. */
  readonly row: PlainRow;
  /** What it starts or connects to. Absent if it cannot be used. */
  readonly written?: LaunchAsWritten;
  /** The ids of `${input:…}` in the row. */
  readonly inputs: readonly string[];
  /** What of the row has no effect here. */
  readonly notes: readonly string[];
  /** Why it cannot be imported, as a clause. */
  readonly problem?: string;
  /** It is our own gateway: the client is connected to us. */
  readonly isGateway: boolean;
}

/** A question for a value that VS Code asks for, too. */
export interface InputQuestion {
  readonly id: string;
  readonly description: string;
  readonly isSecret: boolean;
  readonly default?: string;
  readonly options?: readonly string[];
}

/** What one file of a client has. */
export interface ClientFile extends ClientPlace {
  readonly client: ClientId;
  readonly state: "read" | "absent" | "unusable";
  readonly servers: readonly ClientServer[];
  readonly inputs: readonly InputQuestion[];
  /** Why it is unusable, as a clause about the file. */
  readonly problem?: string;
}
