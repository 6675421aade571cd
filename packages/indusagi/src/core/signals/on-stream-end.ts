/** Returns the same stream and calls `ended` when it ends: completed, failed or cancelled. */
export function onStreamEnd(body: ReadableStream<Uint8Array>, ended: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  reader.closed.then(ended, ended);
  return new ReadableStream<Uint8Array>(
    {
      pull: async (stream) => {
        const part = await reader.read();
        if (part.done) stream.close();
        else stream.enqueue(part.value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
