interface BodyObserver {
  piece(bytes: Uint8Array): void;
  /** Called once, when the body has been read or abandoned. */
  end(): void;
}

/**
 * Returns the same body. `end` is also called where its reader disconnects before the first piece.
 */
export function observedBody(body: AsyncIterable<Uint8Array>, observer: BodyObserver): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const pieces = body[Symbol.asyncIterator]();
      let isOver = false;
      const end = () => {
        if (!isOver) observer.end();
        isOver = true;
      };
      return {
        next: async () => {
          try {
            const next = await pieces.next();
            if (next.done === true) end();
            else observer.piece(next.value);
            return next;
          } catch (error) {
            end();
            throw error;
          }
        },
        return: async () => {
          end();
          await pieces.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
