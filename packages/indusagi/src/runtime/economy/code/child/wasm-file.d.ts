/** The build puts the bytes of the file here. */
declare module "@jitl/quickjs-wasmfile-release-sync/wasm" {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}

/** The part that we use. Node has it; its types for this version do not. */
declare namespace WebAssembly {
  type Module = object;
  class Memory {
    readonly buffer: ArrayBuffer;
    constructor(pages: { readonly initial: number; readonly maximum: number });
  }
  class RuntimeError extends Error {}
  function compile(bytes: Uint8Array): Promise<Module>;
}
