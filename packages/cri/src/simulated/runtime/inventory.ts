import type { ContainerFilter } from "../../messages/container.ts";
import type { PodSandboxConfig, SandboxFilter } from "../../messages/sandbox.ts";
import { RuntimeError } from "../../container-runtime.ts";
import type { FakeContainer } from "./container.ts";
import { Groups } from "./groups.ts";
import type { FakeSandbox } from "./sandbox.ts";

/** The label by which kubelets select a pod's objects in each request. */
const podUidLabel = "io.kubernetes.pod.uid";

/**
 * The sandboxes and containers of a fake node, in the order of their creation. A query for one pod
 * or one sandbox does not inspect other pods or sandboxes, because a hollow node makes many such
 * queries.
 */
export class Inventory {
  readonly #sandboxes = new Map<string, FakeSandbox>();
  readonly #sandboxesByName = new Map<string, FakeSandbox>();
  readonly #sandboxesOfPod = new Groups<FakeSandbox>();
  readonly #containers = new Map<string, FakeContainer>();
  readonly #containersOfPod = new Groups<FakeContainer>();
  readonly #containersOfSandbox = new Groups<FakeContainer>();

  addSandbox(sandbox: FakeSandbox): void {
    this.#sandboxes.set(sandbox.id, sandbox);
    this.#sandboxesByName.set(sandboxName(sandbox.config), sandbox);
    this.#sandboxesOfPod.add(podOf(sandbox.config.labels), sandbox);
  }

  removeSandbox(sandbox: FakeSandbox): void {
    this.#sandboxes.delete(sandbox.id);
    this.#sandboxesByName.delete(sandboxName(sandbox.config));
    this.#sandboxesOfPod.delete(podOf(sandbox.config.labels), sandbox);
  }

  findSandbox(id: string): FakeSandbox | undefined {
    return this.#sandboxes.get(id);
  }

  findSandboxNamed(name: string): FakeSandbox | undefined {
    return this.#sandboxesByName.get(name);
  }

  /** @throws RuntimeError notFound. */
  sandbox(id: string): FakeSandbox {
    const sandbox = this.#sandboxes.get(id);
    if (!sandbox) throw new RuntimeError("notFound", `an error occurred when try to find sandbox "${id}": not found`);
    return sandbox;
  }

  sandboxes(filter: SandboxFilter = {}): FakeSandbox[] {
    const pod = filter.labels?.[podUidLabel];
    const those = pod === undefined ? [...this.#sandboxes.values()] : this.#sandboxesOfPod.of(pod);
    return those.filter((sandbox) => sandboxMatches(sandbox, filter));
  }

  addContainer(container: FakeContainer): void {
    const { id, sandboxId, config } = container.spec;
    this.#containers.set(id, container);
    this.#containersOfPod.add(podOf(config.labels), container);
    this.#containersOfSandbox.add(sandboxId, container);
  }

  removeContainer(container: FakeContainer): void {
    const { id, sandboxId, config } = container.spec;
    this.#containers.delete(id);
    this.#containersOfPod.delete(podOf(config.labels), container);
    this.#containersOfSandbox.delete(sandboxId, container);
  }

  findContainer(id: string): FakeContainer | undefined {
    return this.#containers.get(id);
  }

  /** @throws RuntimeError notFound. */
  container(id: string): FakeContainer {
    const container = this.#containers.get(id);
    if (!container)
      throw new RuntimeError("notFound", `an error occurred when try to find container "${id}": not found`);
    return container;
  }

  containersOf(sandboxId: string): readonly FakeContainer[] {
    return this.#containersOfSandbox.of(sandboxId);
  }

  containers(filter: ContainerFilter = {}): FakeContainer[] {
    const pod = filter.labels?.[podUidLabel];
    const those = pod === undefined ? [...this.#containers.values()] : this.#containersOfPod.of(pod);
    return those.filter((container) => containerMatches(container, filter));
  }
}

/**
 * A sandbox's name, by the runtimes' rule that two sandboxes cannot be the same attempt of the same
 * pod.
 */
export function sandboxName({ metadata }: PodSandboxConfig): string {
  return `${metadata.name}_${metadata.namespace}_${metadata.uid}_${metadata.attempt}`;
}

function podOf(labels: Readonly<Record<string, string>>): string {
  return labels[podUidLabel] ?? "";
}

function sandboxMatches({ id, ready, config }: FakeSandbox, filter: SandboxFilter): boolean {
  return (
    (filter.id === undefined || id === filter.id) &&
    (filter.ready === undefined || ready === filter.ready) &&
    labelsMatch(config.labels, filter.labels)
  );
}

function containerMatches({ spec, state }: FakeContainer, filter: ContainerFilter): boolean {
  return (
    (filter.id === undefined || spec.id === filter.id) &&
    (filter.sandboxId === undefined || spec.sandboxId === filter.sandboxId) &&
    (filter.state === undefined || state === filter.state) &&
    labelsMatch(spec.config.labels, filter.labels)
  );
}

function labelsMatch(labels: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>> = {}): boolean {
  for (const key of Object.keys(wanted)) if (labels[key] !== wanted[key]) return false;
  return true;
}
