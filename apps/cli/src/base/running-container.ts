import { type Pod, pods } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { containerProcess, ctrOn, findNode, type KnownCluster, Refused } from "@kintsugi/lab";

export interface ContainerName {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

interface Deps {
  readonly cluster: KnownCluster;
  readonly client: Client;
}

/**
 * Kills the process of a container from outside, as a bug in its program would end it. A signal
 * from inside never ends a program that does not handle it, because the kernel blocks such signals
 * for process 1.
 * @throws Refused when the container is not running.
 */
export async function killContainer(deps: Deps, named: ContainerName): Promise<void> {
  const { pid } = await runningContainer(deps, named);
  process.kill(pid, "SIGKILL");
}

/** Returns the process of a container on this host. @throws Refused when it is not running. */
export async function runningContainer(
  { cluster, client }: Deps,
  { namespace, pod: name, container }: ContainerName,
): Promise<{ pid: number; spec: Container | undefined }> {
  const pod = await client.get(pods, { namespace, name });
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  const status = [...containerStatuses, ...initContainerStatuses].find((each) => each.name === container);
  const id = /^containerd:\/\/([0-9a-f]{64})$/.exec(status?.containerID ?? "")?.[1];
  if (id === undefined || status?.state?.running === undefined)
    throw new Refused(`container ${container} of ${name} is not running`);
  const node = findNode(cluster.spec, pod.spec?.nodeName ?? "");
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const spec = [...containers, ...initContainers].find((each) => each.name === container);
  return { pid: await containerProcess(ctrOn(cluster, node), id), spec };
}

type Container = NonNullable<Pod["spec"]>["containers"][number];

/**
 * Returns the container: the named container, or the only container of the pod.
 * @throws Refused with the names to choose from.
 */
export function containerOf({ metadata, spec }: Pod, asked: string | undefined): string {
  const names = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(({ name }) => name);
  if (asked !== undefined && names.includes(asked)) return asked;
  const [first] = names;
  if (asked === undefined && first !== undefined && spec?.containers.length === 1) return first;
  const fault = asked === undefined ? "several containers; --container chooses" : `no container "${asked}"; it has`;
  throw new Refused(`pod ${metadata.name ?? ""} has ${fault} ${names.join(", ")}`);
}
