import type { LaunchAsWritten, PlainRow } from "indusagi/config";
import type { ClientId, ClientPlace, ClientScope } from "./client.ts";

/** An object in the file of a client. */
export interface FileObject {
  readonly [member: string]: unknown;
}

/** A server in the file of another client. It is not started from there: importing copies its row into our file. */
export interface ClientServer {
  readonly client: ClientId;
  readonly scope: ClientScope;
  readonly file: string;
  readonly name: string;
  /** The row in our form, with every variable as written. */
  readonly row: PlainRow;
  /** What it starts or connects to. Absent if it cannot be used. */
  readonly written?: LaunchAsWritten | undefined;
  /** The ids of `${input:…}` in the row. */
  readonly inputs: readonly string[];
  /** The members of the row that have no effect here. */
  readonly notes: readonly string[];
  /** Why it cannot be imported, as a clause. */
  readonly problem?: string | undefined;
  /** It is our own gateway: the client is connected to us. */
  readonly isGateway: boolean;
}

/** A value to ask the user for, as VS Code does. */
export interface InputQuestion {
  readonly id: string;
  readonly description: string;
  readonly isSecret: boolean;
  readonly default?: string | undefined;
  readonly options?: readonly string[] | undefined;
}

/** The content of one file of a client. */
export interface ClientFile extends ClientPlace {
  readonly client: ClientId;
  readonly state: "read" | "absent" | "unusable";
  readonly servers: readonly ClientServer[];
  readonly inputs: readonly InputQuestion[];
  /** Why it is unusable, as a clause about the file. */
  readonly problem?: string | undefined;
}
