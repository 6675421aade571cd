import type { JSX } from "preact";
import { Difference, plain, Said } from "../text.tsx";
import { Command } from "./command.tsx";

interface FileChangeProps {
  readonly file: string;
  readonly difference: string;
  readonly command: string;
}

/** What a change would do to a file, and the command that does the same. */
export function FileChange({ file, difference, command }: FileChangeProps): JSX.Element {
  return (
    <>
      <p class="muted">
        <Said>{file}</Said>
      </p>
      {difference === "" ? (
        <p class="muted">The file stays as it is.</p>
      ) : (
        <Difference text={difference} label={`What changes in ${plain(file)}`} />
      )}
      <Command line={command} />
    </>
  );
}
