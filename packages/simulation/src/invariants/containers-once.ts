import type { Check, Invariant } from "./invariant.ts";
import type { Known } from "./known.ts";
import { containerName, isRunning, type SeenContainer } from "./known-containers.ts";

/** S20, its half about attempts: a container that runs is the only one of its name in its pod. */
export class ContainersOnce implements Invariant {
  readonly name = "S20";
  readonly never = "two running containers of one name in one pod";
  readonly #known: Known;

  constructor({ known }: { known: Known }) {
    this.#known = known;
  }

  container({ type, container }: SeenContainer, check: Check): void {
    if (type !== "started") return;
    const others = this.#known.containers.running(container.uid).filter((other) => other !== container);
    const twin = others.find(({ name }) => name === container.name);
    check(twin && `${containerName(container)} was started on ${container.node} while ${containerName(twin)} runs`);
  }
}

/** S22, its half about containers: what is never to run again does not. */
export class EndedStaysEnded implements Invariant {
  readonly name = "S22";
  readonly never = "a container of a pod with restartPolicy Never that runs twice";
  readonly #known: Known;
  readonly #ran = new Set<string>();

  constructor({ known }: { known: Known }) {
    this.#known = known;
  }

  container({ type, container }: SeenContainer, check: Check): void {
    const pod = this.#known.pods.get(container.podKey);
    if (type !== "started" || pod?.metadata.uid !== container.uid || pod.spec?.restartPolicy !== "Never") return;
    const which = `${container.uid}/${container.name}`;
    check(this.#ran.has(which) ? `${containerName(container)} was started again` : undefined);
    this.#ran.add(which);
  }
}

/** S20, its half about what is left over. */
export class OrphansGo implements Invariant {
  readonly name = "S20";
  readonly never = "a container without its pod for longer than a minute of calm";
  readonly #known: Known;
  readonly #calm: { forMs: number; lostNodes: ReadonlySet<string> };

  constructor({ known, calm }: { known: Known; calm: { forMs: number; lostNodes: ReadonlySet<string> } }) {
    this.#known = known;
    this.#calm = calm;
  }

  tick(check: Check): void {
    const { containers, pods } = this.#known;
    if (this.#calm.forMs < housekeepingMs) return;
    for (const container of containers.all()) {
      if (this.#calm.lostNodes.has(container.node)) continue;
      const isOrphan = pods.get(container.podKey)?.metadata.uid !== container.uid;
      const forMs = isOrphan ? this.#known.goneForMs(container.uid) : 0;
      check(
        forMs > housekeepingMs
          ? `${containerName(container)} ${isRunning(container) ? "runs" : "is left"} on ${container.node} without its pod`
          : undefined,
      );
    }
  }
}

const housekeepingMs = 60_000;
