import type { Container } from "@kintsugi/api";
import type { ContainerConfig, Image, Mount } from "@kintsugi/cri";
import type { NodeContext } from "../../model/node-context.ts";
import type { BoundPod } from "../../model/bound-pod.ts";
import { type Streak, streakAnnotations } from "../../model/escalation.ts";
import { resourcesText } from "../../model/allocation.ts";
import { annotationNames, containerHash, labelNames } from "../../model/labels.ts";
import { containerResources } from "../cgroups/container-resources.ts";
import { containerSecurity } from "./container-security.ts";
import { expand } from "../environment/expand.ts";

export interface ContainerConfigInput {
  pod: BoundPod;
  container: Container;
  attempt: number;
  /** Time for which this instance will have to be down after it exits. */
  carryMs: number;
  streak: Streak;
  generation: number;
  imageReference: string;
  image: Image | undefined;
  env: ReadonlyMap<string, string>;
  mounts: readonly Mount[];
  imageVolumes: readonly string[];
  devices: ContainerConfig["devices"];
  cdiDevices: readonly string[];
  terminationMessageFile: string;
  targetId?: string | undefined;
  node: NodeContext;
}

/**
 * Converts a container's spec to the runtime's configuration (kuberuntime_container.go
 * generateContainerConfig).
 */
export function containerConfig(input: ContainerConfigInput): ContainerConfig {
  const { pod, container, attempt, env } = input;
  const { uid, name, namespace } = pod.metadata;
  return {
    metadata: { name: container.name, attempt },
    image: input.imageReference,
    command: (container.command ?? []).map((part) => expand(part, env)),
    args: (container.args ?? []).map((part) => expand(part, env)),
    workingDir: container.workingDir ?? "",
    envs: [...env].map(([key, value]) => ({ key, value })),
    mounts: [...input.mounts],
    devices: [...input.devices],
    cdiDevices: [...input.cdiDevices],
    labels: {
      [labelNames.podName]: name,
      [labelNames.podNamespace]: namespace,
      [labelNames.podUid]: uid,
      [labelNames.containerName]: container.name,
    },
    annotations: {
      [annotationNames.hash]: containerHash(container),
      [annotationNames.restartCount]: String(attempt),
      [annotationNames.terminationMessagePath]: container.terminationMessagePath ?? "/dev/termination-log",
      [annotationNames.terminationMessagePolicy]: container.terminationMessagePolicy ?? "File",
      [annotationNames.terminationMessageFile]: input.terminationMessageFile,
      [annotationNames.restartBackoffMs]: String(input.carryMs),
      ...streakAnnotations(input.streak),
      [annotationNames.resources]: resourcesText(container),
      ...(input.imageVolumes.length === 0 ? {} : { [annotationNames.imageVolumes]: input.imageVolumes.join(",") }),
      ...(input.generation === 0 ? {} : { [annotationNames.generation]: String(input.generation) }),
    },
    logPath: containerLogPath(container.name, attempt),
    stdin: container.stdin ?? false,
    stdinOnce: container.stdinOnce ?? false,
    tty: container.tty ?? false,
    linux: {
      resources: {
        ...containerResources(pod, container, input.node.capacity.memoryBytes),
        // Upstream's behavior without singleProcessOOMKill: when one process of a container is
        // killed, the whole container is killed.
        ...(input.node.groupOomKill ? { unified: { "memory.oom.group": "1" } } : {}),
      },
      security: containerSecurity({ pod, container, image: input.image, targetId: input.targetId, node: input.node }),
    },
  };
}

/** Relative to the pod's log directory: `web/0.log`. */
export function containerLogPath(containerName: string, attempt: number): string {
  return `${containerName}/${attempt}.log`;
}
