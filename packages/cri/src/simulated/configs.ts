import type { ContainerConfig, LinuxContainerResources } from "../messages/container.ts";
import type { PodSandboxConfig } from "../messages/sandbox.ts";

const namespaces = { network: "pod", pid: "container", ipc: "pod" } as const;

/** Makes a sandbox's configuration in a kubelet's form, with the test's own fields. */
export function aSandboxConfig(name: string, over: Partial<PodSandboxConfig> = {}): PodSandboxConfig {
  return {
    metadata: { name, uid: `uid-of-${name}`, namespace: "default", attempt: 0 },
    hostname: name,
    logDirectory: `/var/log/pods/default_${name}_uid-of-${name}`,
    portMappings: [],
    labels: {},
    annotations: {},
    runtimeHandler: "",
    ...over,
    linux: {
      cgroupParent: "",
      sysctls: {},
      namespaces,
      supplementalGroups: [],
      groupsPolicy: "Merge",
      readonlyRootfs: false,
      privileged: false,
      ...over.linux,
    },
  };
}

/** Makes a container that runs `script` with busybox's shell, with the test's own fields. */
export function aContainerConfig(
  name: string,
  script: string,
  over: Partial<ContainerConfig> & { resources?: Partial<LinuxContainerResources> } = {},
): ContainerConfig {
  const { resources, ...rest } = over;
  return {
    metadata: { name, attempt: 0 },
    image: "busybox",
    command: ["sh", "-c", script],
    args: [],
    workingDir: "",
    envs: [],
    mounts: [],
    devices: [],
    cdiDevices: [],
    labels: {},
    annotations: {},
    logPath: `${name}/0.log`,
    stdin: false,
    stdinOnce: false,
    tty: false,
    linux: {
      resources: { cpuPeriod: 0, cpuQuota: 0, cpuShares: 0, memoryLimitBytes: 0, oomScoreAdj: 0, ...resources },
      security: {
        addCapabilities: [],
        dropCapabilities: [],
        privileged: false,
        namespaces,
        readonlyRootfs: false,
        supplementalGroups: [],
        groupsPolicy: "Merge",
        noNewPrivileges: false,
        maskedPaths: [],
        readonlyPaths: [],
      },
    },
    ...rest,
  };
}
