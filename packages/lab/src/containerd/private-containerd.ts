import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@kintsugi/clock";
import { mountPoints, removeTree, runCommand, writeWhole } from "@kintsugi/daemon";
import { existingCgroups, killCgroup, processesIn, removeCgroup, removeCgroupIfEmpty } from "../host/cgroups.ts";
import { unmountBelow } from "../host/unmount.ts";
import { imageArchive } from "../images/image-archive.ts";
import { ociArchitecture } from "../images/oci-architecture.ts";
import { standardImages } from "../images/standard-images.ts";
import { type ProcessIdentity, signalProcess, isAlive } from "../host/process-identity.ts";
import { spawnComponent } from "../host/spawn-component.ts";
import { forgetSandboxNetworks } from "./cni-results.ts";
import { writeContainerdFiles } from "./containerd-files.ts";
import { importImages, waitForSocket } from "./import-images.ts";
import { keepInMemory } from "./keep-in-memory.ts";
import type { OciRuntime } from "../settings/nodes/oci-runtimes.ts";

export interface PrivateContainerdOptions {
  /**
   * The directory of this instance alone; it is created, and removed again. It must be short
   * because a socket's path has at most 107 characters.
   */
  directory: string;
  /** Name of the network namespace and the cgroup. */
  name: string;
  /** Undefined if a kubelet sets the range. */
  podCidr: string | undefined;
  /** Default runc. */
  ociRuntime?: OciRuntime | undefined;
}

/** A containerd with its own network, cgroups and files, as on a node, but without a cluster. */
export interface PrivateContainerd extends AsyncDisposable, Readonly<PrivateContainerdOptions> {
  /** "unix:///…". */
  readonly endpoint: string;
  readonly logFile: string;
  /** The parent group of sandboxes, which is removed with the instance. */
  readonly cgroupParent: string;
  /** The network namespace in which it listens for streams. */
  readonly networkNamespacePath: string;
  /** Ends the daemon as in a crash; shims and containers continue to run. */
  crash(): Promise<void>;
  /**
   * Ends all its processes as in a power cut: shims, containers and mounts are removed, files
   * remain.
   */
  powerOff(): Promise<void>;
  /** Starts the daemon again and waits for it. */
  start(): Promise<void>;
}

/**
 * Starts a containerd that does not share resources with other containerds, and imports the
 * standard images. Repeatable after a crash in the middle.
 */
export async function startPrivateContainerd(
  { clock }: { clock: Clock },
  options: PrivateContainerdOptions,
): Promise<PrivateContainerd> {
  const containerd = new PrivateInstance(clock, options);
  try {
    await containerd.prepare();
    await containerd.start();
    await containerd.importStandardImages();
    return containerd;
  } catch (error) {
    await containerd[Symbol.asyncDispose]();
    throw error;
  }
}

/** Removes all remains on this host of an instance whose process has ended. Repeatable. */
export async function removePrivateContainerd(
  { clock }: { clock: Clock },
  { name, directory }: Pick<PrivateContainerdOptions, "name" | "directory">,
): Promise<void> {
  await new PrivateInstance(clock, { name, directory, podCidr: undefined })[Symbol.asyncDispose]();
}

/**
 * Lists the parts of an instance that are still on this host: processes, mounts, its namespace,
 * cgroups, files.
 */
export async function findPrivateContainerdRemains({ directory, name }: PrivateContainerdOptions): Promise<string[]> {
  const processes = (await processesIn(cgroupOf(name))).map((pid) => `process ${pid}`);
  const mounts = (await mountPoints()).filter((point) => point.startsWith(`${directory}/`));
  const paths = [directory, `/run/netns/${namespaceOf(name)}`].filter((path) => existsSync(path));
  return [...processes, ...mounts, ...existingCgroups(cgroupOf(name)), ...paths];
}

function namespaceOf(name: string): string {
  return `kintsugi-containerd-${name}`;
}

function cgroupOf(name: string): string {
  return `/kintsugi/containerd-${name}`;
}

class PrivateInstance implements PrivateContainerd {
  readonly #clock: Clock;
  readonly directory: string;
  readonly #namespace: string;
  readonly podCidr: string | undefined;
  readonly ociRuntime: OciRuntime | undefined;
  readonly name: string;
  readonly #cgroup: string;
  #process: ProcessIdentity | undefined;

  constructor(clock: Clock, { directory, name, podCidr, ociRuntime }: PrivateContainerdOptions) {
    this.#clock = clock;
    this.directory = directory;
    this.name = name;
    this.#namespace = namespaceOf(name);
    this.podCidr = podCidr;
    this.ociRuntime = ociRuntime;
    this.#cgroup = cgroupOf(name);
  }

  get endpoint(): string {
    return `unix://${this.#socket}`;
  }

  get logFile(): string {
    return join(this.directory, "containerd.log");
  }

  get cgroupParent(): string {
    return `${this.#cgroup}/pods`;
  }

  get networkNamespacePath(): string {
    return `/run/netns/${this.#namespace}`;
  }

  async prepare(): Promise<void> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    const places = {
      configFile: this.#configFile,
      root: join(this.directory, "root"),
      state: this.#state,
      socket: this.#socket,
      registryDirectory: join(this.directory, "registries"),
      cniConfigDirectory: join(this.directory, "cni"),
      ipamDirectory: join(this.directory, "ipam"),
    };
    await writeContainerdFiles(places, this);
    await runCommand("ip", ["netns", "add", this.#namespace]);
    await runCommand("ip", ["-n", this.#namespace, "link", "set", "lo", "up"]);
  }

  async start(): Promise<void> {
    const component = {
      id: "containerd",
      command: ["containerd", "--config", this.#configFile],
      // The daemon runs in a separate leaf, because on cgroup v2 a group whose children have
      // controllers may not contain processes itself.
      cgroup: `${this.#cgroup}/system`,
      namespacePath: this.networkNamespacePath,
      logFile: this.logFile,
    };
    await keepInMemory(this.#state);
    this.#process = await spawnComponent(component, join(this.directory, "pids"), () => {});
    await waitForSocket(this.#clock, this.#socket);
  }

  async importStandardImages(): Promise<void> {
    const archive = join(this.directory, "images.tar");
    await writeWhole(archive, imageArchive(await standardImages(), ociArchitecture()));
    await importImages(this.#socket, archive);
  }

  async crash(): Promise<void> {
    const process = this.#process;
    if (!process) return;
    await signalProcess(process, "SIGKILL");
    while (await isAlive(process)) await this.#clock.sleep(5);
  }

  async powerOff(): Promise<void> {
    await killCgroup(this.#clock, this.#cgroup);
    await unmountBelow([this.directory]);
    await removeTree(this.#state);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.powerOff();
    await runCommand("ip", ["netns", "delete", this.#namespace]).catch(() => {});
    await removeCgroup(this.#clock, this.#cgroup);
    await removeCgroupIfEmpty("/kintsugi");
    await forgetSandboxNetworks([join(this.directory, "root")]);
    await removeTree(this.directory);
  }

  get #state(): string {
    return join(this.directory, "state");
  }

  get #socket(): string {
    return join(this.directory, "containerd.sock");
  }

  get #configFile(): string {
    return join(this.directory, "containerd.toml");
  }
}
