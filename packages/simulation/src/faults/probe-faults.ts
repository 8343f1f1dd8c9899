/** The probe of a container that a fault can select. */
export interface AskedProbe {
  readonly kind: string;
  readonly namespace: string;
  readonly podName: string;
}

/** The probes of a node's containers that fail regardless of the containers. */
export class ProbeFaults {
  readonly #all = new Set<(asked: AskedProbe) => boolean>();

  /** @returns a function that ends the fault. */
  add(fails: (asked: AskedProbe) => boolean): () => void {
    this.#all.add(fails);
    return () => void this.#all.delete(fails);
  }

  fail(asked: AskedProbe): boolean {
    for (const fails of this.#all) if (fails(asked)) return true;
    return false;
  }
}

/** The output of a probe that fails because of a fault. */
export const failedProbe = { kind: "failure", output: "a fault lets this probe fail" } as const;
