/** The same stream; `ended` is called when it has ended, however and from either side. */
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
