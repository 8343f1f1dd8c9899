import { runCsiControllers } from "@kintsugi/csi-controller/factory";

import type { Clock } from "@kintsugi/clock";
import type { CsiClient } from "@kintsugi/csi";
import { FakeCloud } from "@kintsugi/csi/simulated";
import type { KubeletDeps } from "@kintsugi/kubelet/factory";
import type { MemoryMounts } from "@kintsugi/kubelet/simulated";
import { type AttachableDisk, type Incarnation, mortal, VirtualProcess } from "@kintsugi/simulation";
import type { ServiceDeps } from "./service-deps.ts";

/** The driver of the disks in simulated clusters. */
export const virtualDriverName = "fake.csi.kintsugi.dev";

/** A cloud with disks, the service that creates and attaches them, and the driver on each node. */
export class VirtualStorage {
  readonly cloud: FakeCloud;
  readonly process: VirtualProcess;

  constructor(deps: ServiceDeps) {
    const { clock, randomSource, log, levels, connect, onDeath } = deps;
    this.cloud = new FakeCloud({ clock, random: randomSource.of("cloud") }, { driverName: virtualDriverName });
    const name = "csi-controller";
    const run = async (signal: AbortSignal, incarnation: Incarnation, ownClock: Clock) => {
      const { client } = connect(name, { incarnation, clock: ownClock });
      const driver = mortal(this.cloud.controller, incarnation);
      const own = {
        client,
        clock: ownClock,
        random: randomSource.of(name),
        log,
        metrics: levels.metricsOf(name, incarnation),
      };
      await runCsiControllers({ ...own, driver }, {}, signal);
    };
    this.process = new VirtualProcess({ clock, onDeath, run }, { name });
  }

  /** Returns the disks, each with the node to which it is attached. */
  disks(): AttachableDisk[] {
    return this.cloud.disks.map(({ id, attachment, attributes }) => ({
      handle: id,
      nodeName: attachment?.nodeId,
      attributes,
    }));
  }

  copies(): readonly string[] {
    return this.cloud.copies;
  }

  /** Returns the driver's part on a node. */
  driverOn(node: { name: string; zone: string }, mounts: MemoryMounts): NodeDriver {
    return new NodeDriver(this.cloud, node, mounts);
  }
}

/** The connection of one incarnation of the kubelet to the driver of its disks. */
export interface NodeStorage extends Pick<NonNullable<KubeletDeps["plugins"]>, "connectCsi" | "register"> {
  readonly socket: { readonly path: string; readonly identity: string };
}

/** The driver of one machine. Its mounts survive the kubelet, and are lost with the power. */
export class NodeDriver {
  readonly #cloud: FakeCloud;
  readonly #node: { name: string; zone: string };
  readonly #mounts: MemoryMounts;
  #client: CsiClient;
  #boots = 1;
  readonly #targets = new Set<string>();

  constructor(cloud: FakeCloud, node: { name: string; zone: string }, mounts: MemoryMounts) {
    this.#cloud = cloud;
    this.#node = node;
    this.#mounts = mounts;
    this.#client = this.#connect();
  }

  /** Removes all mounts and restarts the driver, as a loss of power does. */
  powerOff(): void {
    for (const target of this.#targets) this.#mounts.points.delete(target);
    this.#targets.clear();
    this.#boots++;
    this.#client = this.#connect();
  }

  /** Returns the connection of one incarnation of the kubelet to the driver. */
  accessFor(incarnation: Incarnation): NodeStorage {
    const socket = { path: "/registry/driver.sock", identity: `boot-${this.#boots}` };
    return {
      socket,
      connectCsi: () => mortal(this.#client, incarnation),
      register: () => ({
        getInfo: () =>
          Promise.resolve({
            type: "CSIPlugin",
            name: this.#cloud.driverName,
            endpoint: "/driver.sock",
            supportedVersions: ["1.0.0"],
          }),
        notify: () => Promise.resolve(),
        close: () => {},
      }),
    };
  }

  #connect(): CsiClient {
    const { name, zone } = this.#node;
    const driver = this.#cloud.driverOf({ id: name, zone });
    const mount = async (target: string) => {
      this.#targets.add(target);
      await this.#mounts.bindInside({ root: "/disk", inside: "", target });
    };
    const unmount = async (target: string) => {
      this.#targets.delete(target);
      await this.#mounts.unmount(target);
    };
    return {
      ...driver,
      close: () => {},
      nodeStageVolume: async (request) => {
        const answer = await driver.nodeStageVolume(request);
        await mount(request.stagingTargetPath);
        return answer;
      },
      nodePublishVolume: async (request) => {
        const answer = await driver.nodePublishVolume(request);
        await mount(request.targetPath);
        return answer;
      },
      nodeUnpublishVolume: async (request) => {
        await unmount(request.targetPath);
        return driver.nodeUnpublishVolume(request);
      },
      nodeUnstageVolume: async (request) => {
        await unmount(request.stagingTargetPath);
        return driver.nodeUnstageVolume(request);
      },
    };
  }
}
