/** Marks the moment from which the server has the objects that every cluster has, and its end. */
export interface Readiness {
  readonly reached: Promise<void>;
  reach(): void;
  /** @throws until it is reached. */
  check(): void;
  /** The server is about to end: balancers are to send their clients elsewhere. */
  leave(): void;
  /** @throws once it is about to end. */
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
      if (!isReached) throw new Error("what every cluster has is not there yet");
    },
    leave: () => {
      isLeaving = true;
    },
    checkStays: () => {
      if (isLeaving) throw new Error("process is shutting down");
    },
  };
}
