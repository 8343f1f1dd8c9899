/**
 * The CPU time that the clients of workloads request, in millicores, by the workload's name. The
 * pods of the workload share this time.
 */
export class Loads {
  readonly #millicores = new Map<string, number>();
  readonly #onChange: () => void;

  /** @param onChange is called before a load changes, because the old load applies until then. */
  constructor(onChange: () => void = () => {}) {
    this.#onChange = onChange;
  }

  of(workload: string): number {
    return this.#millicores.get(workload) ?? 0;
  }

  /** @returns a function that removes the load. */
  add(workload: string, millicores: number): () => void {
    this.#change(workload, millicores);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#change(workload, -millicores);
    };
  }

  /** Returns the workload with the longest name that is a prefix of the pod's name. */
  workloadOf(pod: string): string | undefined {
    const names = [...this.#millicores.keys()].filter((name) => pod.startsWith(`${name}-`));
    return names.toSorted((a, b) => b.length - a.length)[0];
  }

  #change(workload: string, millicores: number): void {
    this.#onChange();
    this.#millicores.set(workload, this.of(workload) + millicores);
  }
}
