/**
 * Marks the moment when the server has the initial objects of every cluster, and the start of its
 * shutdown.
 */
export interface Readiness {
  readonly reached: Promise<void>;
  reach(): void;
  /** @throws until the server is ready. */
  check(): void;
  /** The server is about to end, so load balancers should send clients to other servers. */
  leave(): void;
  /** @throws when the server is about to end. */
  checkStays(): void;
}

export function createReadiness(): Readiness {
  let reach = (): void => {};
  let isReached = false;
  let isLeaving = false;
  const reached = new Promise<void>((resolve) => (reach = resolve));
  return {
    reached,
    reach: () => {
      isReached = true;
      reach();
    },
    check: () => {
      if (!isReached) throw new Error("the objects that every cluster requires do not exist yet");
    },
    leave: () => {
      isLeaving = true;
    },
    checkStays: () => {
      if (isLeaving) throw new Error("process is shutting down");
    },
  };
}
