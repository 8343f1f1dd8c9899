/** Marks the moment from which the server has the objects that every cluster has. */
export interface Readiness {
  readonly reached: Promise<void>;
  reach(): void;
  /** @throws until it is reached. */
  check(): void;
}

export function createReadiness(): Readiness {
  let reach = (): void => {};
  let isReached = false;
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
  };
}
