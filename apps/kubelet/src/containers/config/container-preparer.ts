import { join, normalize } from "node:path";
import type { Container, EphemeralContainer, VolumeMount } from "@kintsugi/api";
import type { ContainerConfig, ContainerRuntime, Mount, PodSandboxConfig } from "@kintsugi/cri";
import type { Files } from "../../machine/files/files.ts";
import { type NodeContext, podDirectory } from "../../model/node-context.ts";
import type { BoundPod } from "../../model/bound-pod.ts";
import { labelNames } from "../../model/labels.ts";
import type { MountableImage, MountableImages } from "../images/image-volumes.ts";
import { subPathOf } from "../volumes/sub-path.ts";
import type { ProvidedVolume } from "../volumes/plugins/volume-plugin.ts";
import type { Volumes } from "../volumes/volumes.ts";
import { ContainerConfigError } from "../environment/config-error.ts";
import type { ConfigSource } from "../environment/config-source.ts";
import type { ContainerDevices } from "../devices/container-devices.ts";
import { containerLogPath } from "./container-config.ts";
import { environment, type EnvironmentInput } from "../environment/environment.ts";
import { hostsFile, nodeHostsFile } from "./hosts-file.ts";
import type { PodServices } from "../environment/pod-services.ts";
import { resolveRecursiveReadOnly } from "./recursive-read-only.ts";
import { refuseUnsupported } from "./unsupported.ts";
import { podFqdn, podHostname } from "./sandbox-config.ts";

/** A node's /etc/hosts has a few lines. A longer file is truncated after this size. */
const hostsBytesMax = 1024 * 1024;

export interface ContainerPreparerDeps {
  runtime: ContainerRuntime;
  files: Files;
  source: ConfigSource;
  volumes: Pick<Volumes, "provideSubPath">;
  services: Pick<PodServices, "of">;
  devices: Pick<ContainerDevices, "of">;
}

/** A container that is about to be created, with the volumes and addresses of its pod. */
export interface PrepareRequest {
  pod: BoundPod;
  step: { container: Container | EphemeralContainer; attempt: number };
  sandboxConfig: Pick<PodSandboxConfig, "logDirectory">;
  podIps: readonly string[];
  /** The pod's volumes by name. Rejects with a VolumeError or a ContainerConfigError. */
  volumes: Promise<ReadonlyMap<string, ProvidedVolume>>;
  /** The image volumes of the pod. */
  imageVolumes: MountableImages;
}

export interface PreparedContainer {
  env: Map<string, string>;
  mounts: Mount[];
  /** The mounted images, by id. */
  imageVolumes: readonly string[];
  devices: ContainerConfig["devices"];
  cdiDevices: readonly string[];
  terminationMessageFile: string;
  targetId: string | undefined;
}

/** Collects everything from the node and the API that is needed to create a container. */
export class ContainerPreparer {
  readonly #deps: ContainerPreparerDeps;
  readonly #node: NodeContext;

  constructor(deps: ContainerPreparerDeps, node: NodeContext) {
    this.#deps = deps;
    this.#node = node;
  }

  /**
   * @throws ContainerConfigError, VolumeError when the pod refers to an object that is missing or
   * not supported.
   */
  async prepare(request: PrepareRequest): Promise<PreparedContainer> {
    const { pod, podIps, step } = request;
    const { files } = this.#deps;
    const container: Container = step.container;
    refuseUnsupported(pod, container);
    const directory = join(podDirectory(this.#node, pod.metadata.uid), "containers", container.name);
    const services = await this.#deps.services.of(pod);
    const readInVolume = this.#readInVolume(request);
    const input = { pod, container, podIps, node: this.#node, services, readInVolume };
    const env = await environment(input, this.#deps.source);
    const volumes = await request.volumes;
    const claimed = await this.#deps.devices.of(pod, container);
    for (const [name, value] of claimed.env) env.set(name, value);
    const terminationMessageFile = join(directory, `termination-${step.attempt}`);
    const logFile = join(request.sandboxConfig.logDirectory, containerLogPath(container.name, step.attempt));
    const [etcHosts] = await Promise.all([
      this.#etcHosts(request),
      files.makeDirectory(directory).then(() => files.write(terminationMessageFile, "", 0o666)),
      files.makeDirectory(join(logFile, ".."), 0o755),
    ]);
    const volumeMounts = await this.#volumeMounts(request, volumes, env);
    const imageVolumes = volumeMounts.flatMap(({ image }) => image ?? []);
    const mounts = [
      ...volumeMounts,
      ...etcHosts,
      bind(terminationMessageFile, container.terminationMessagePath ?? "/dev/termination-log"),
      ...claimed.mounts,
    ];
    const devices = [...devicesOf(container, volumes), ...claimed.devices];
    const { cdiDevices } = claimed;
    const targetId = await this.#findTarget(request);
    return { env, mounts, imageVolumes, devices, cdiDevices, terminationMessageFile, targetId };
  }

  /** Reads files of volumes. The container itself need not mount these volumes. */
  #readInVolume({ volumes }: PrepareRequest): EnvironmentInput["readInVolume"] {
    return async (volumeName, path, bytesMax) => {
      const volume = (await volumes).get(volumeName);
      if (volume === undefined) throw new ContainerConfigError(`cannot find the volume "${volumeName}" of fileKeyRef`);
      try {
        return await this.#deps.files.readInside(volume.hostPath, path, bytesMax);
      } catch (error) {
        // The message has no details of the node's files; the cause is only for the log.
        const message = `failed to open environment variable file "${path}" of volume "${volumeName}"`;
        throw new ContainerConfigError(message, { cause: error });
      }
    };
  }

  async #volumeMounts(
    { pod, step: { container }, imageVolumes }: PrepareRequest,
    volumes: ReadonlyMap<string, ProvidedVolume>,
    env: ReadonlyMap<string, string>,
  ): Promise<Mount[]> {
    const mounts: Mount[] = [];
    for (const [mountIndex, mount] of (container.volumeMounts ?? []).entries()) {
      const image = await imageVolumes.get(mount.name);
      if (image !== undefined) {
        mounts.push(imageMount(mount, image, env));
        continue;
      }
      const volume = volumes.get(mount.name);
      if (!volume) throw new ContainerConfigError(`cannot find volume "${mount.name}" to mount`);
      const subPath = subPathOf(mount, env);
      const request = { pod, containerName: container.name, volumeName: mount.name, volume, mountIndex };
      const hostPath =
        subPath === undefined ? volume.hostPath : await this.#deps.volumes.provideSubPath({ ...request, subPath });
      const resolved = resolveRecursiveReadOnly(mount, this.#node.mountsRecursively());
      if ("refusal" in resolved) {
        throw new ContainerConfigError(`failed to resolve recursive read-only mode: ${resolved.refusal}`);
      }
      mounts.push({ ...mountOf(mount, { ...volume, hostPath }), recursiveReadOnly: resolved.isRecursive });
    }
    return mounts;
  }

  /**
   * The mount of /etc/hosts, unless the container mounts its own. For a pod on the node's network,
   * the file includes the node's names.
   */
  async #etcHosts({ pod, podIps, step }: PrepareRequest): Promise<Mount[]> {
    const own = (step.container.volumeMounts ?? []).some(({ mountPath }) => normalize(mountPath) === "/etc/hosts");
    if (own) return [];
    const path = join(podDirectory(this.#node, pod.metadata.uid), "etc-hosts");
    await this.#deps.files.write(path, this.#hostsFile(pod, podIps), 0o644);
    return [bind(path, "/etc/hosts")];
  }

  #hostsFile(pod: BoundPod, podIps: readonly string[]): string {
    if (pod.spec.hostNetwork) {
      const ofNode = this.#deps.files.readTail("/etc/hosts", hostsBytesMax);
      return nodeHostsFile(pod, Buffer.from(ofNode ?? []).toString("utf8"));
    }
    const hostname = podHostname(pod, this.#node);
    if (pod.spec.hostnameOverride !== undefined) return hostsFile(pod, { short: hostname, full: hostname }, podIps);
    const short = hostname.split(".")[0] ?? "";
    return hostsFile(pod, { short, full: podFqdn(pod, this.#node, short) }, podIps);
  }

  /** The container whose processes an ephemeral container should see. */
  async #findTarget({ pod, step }: PrepareRequest): Promise<string | undefined> {
    const name = "targetContainerName" in step.container ? step.container.targetContainerName : undefined;
    if (name === undefined || name === "") return undefined;
    const labels = { [labelNames.podUid]: pod.metadata.uid, [labelNames.containerName]: name };
    const [target] = await this.#deps.runtime.listContainers({ state: "running", labels });
    if (!target) throw new ContainerConfigError(`unable to find target container ${name}`);
    return target.id;
  }
}

/** Raw devices keep their device numbers in the container (kubelet_pods.go makeBlockVolumes). */
function devicesOf(
  { volumeDevices }: Container,
  volumes: ReadonlyMap<string, ProvidedVolume>,
): ContainerConfig["devices"] {
  return (volumeDevices ?? []).map(({ name, devicePath }) => {
    const volume = volumes.get(name);
    if (volume?.isDevice !== true)
      throw new ContainerConfigError(
        `volume "${name}" is not a raw device: volumeDevices need a claim with volumeMode Block`,
      );
    return { containerPath: devicePath, hostPath: volume.hostPath, permissions: volume.readonly ? "r" : "mrw" };
  });
}

function mountOf(mount: VolumeMount, volume: ProvidedVolume): Omit<Mount, "recursiveReadOnly"> {
  const propagation =
    mount.mountPropagation === "Bidirectional"
      ? "bidirectional"
      : mount.mountPropagation === "HostToContainer"
        ? "host-to-container"
        : "private";
  return {
    containerPath: absolute(mount.mountPath),
    hostPath: volume.hostPath,
    readonly: volume.readonly || (mount.readOnly ?? false),
    propagation,
  };
}

/** Images are read-only (kubelet_pods.go makeMounts). */
function imageMount(mount: VolumeMount, image: MountableImage, env: ReadonlyMap<string, string>): Mount {
  const { name, mountPath } = mount;
  const imageSubPath = subPathOf(mount, env);
  if (imageSubPath !== undefined && !image.hasSubPaths) {
    throw new ContainerConfigError(
      `subPath "${imageSubPath}" of image volume "${name}" is not supported by this runtime: use containerd 2.2 or CRI-O 1.33, or newer`,
    );
  }
  return {
    containerPath: absolute(mountPath),
    hostPath: "",
    readonly: true,
    recursiveReadOnly: false,
    propagation: "private",
    image: image.reference,
    ...(imageSubPath === undefined ? {} : { imageSubPath }),
  };
}

function absolute(mountPath: string): string {
  return mountPath.startsWith("/") ? mountPath : `/${mountPath}`;
}

function bind(hostPath: string, containerPath: string): Mount {
  return { hostPath, containerPath, readonly: false, recursiveReadOnly: false, propagation: "private" };
}
