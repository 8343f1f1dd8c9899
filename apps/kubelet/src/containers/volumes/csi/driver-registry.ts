import { type CsiClient, csiPluginType, type DriverNodeInfo, type NodeCapability } from "@kintsugi/csi";
import type { PluginInfo } from "@kintsugi/grpc";
import type { OpenPlugin, PluginHandler } from "../../../plugins/plugin-registry.ts";

/** Opens a driver's own socket: "unix:///…". */
export type ConnectToDriver = (endpoint: string) => CsiClient;

export interface RegisteredDriver {
  readonly name: string;
  readonly client: CsiClient;
  /** The driver mounts a volume for the node before it mounts the volume for pods. */
  readonly stages: boolean;
  /** The driver itself sets the pod's group on the files. */
  readonly givesGroups: boolean;
  /** The driver grows file systems on the node. */
  readonly expands: boolean;
  /** The driver reports the usage of its volumes. */
  readonly reportsUsage: boolean;
}

export interface DriverRegistryDeps {
  readonly connect: ConnectToDriver;
  readonly entry: {
    put(driverName: string, info: DriverNodeInfo, signal: AbortSignal): Promise<void>;
    remove(driverName: string, signal: AbortSignal): Promise<void>;
  };
}

// The steps from a driver's socket:
//
//   appears ─► NodeGetInfo, NodeGetCapabilities ─► labels, CSINode
//   is removed ─► CSINode without it

/** The registered CSI drivers of this node. */
export class DriverRegistry implements PluginHandler {
  readonly type = csiPluginType;
  readonly #deps: DriverRegistryDeps;
  readonly #drivers = new Map<string, RegisteredDriver>();
  readonly #listeners: ((driver: RegisteredDriver) => void)[] = [];

  constructor(deps: DriverRegistryDeps) {
    this.#deps = deps;
  }

  find(name: string): RegisteredDriver | undefined {
    return this.#drivers.get(name);
  }

  onRegistered(listener: (driver: RegisteredDriver) => void): void {
    this.#listeners.push(listener);
  }

  async open(info: PluginInfo, signal: AbortSignal): Promise<OpenPlugin> {
    if (!info.supportedVersions.some((version) => version.replace(/^v/, "").startsWith("1.")))
      throw new Error(`none of the versions specified ${info.supportedVersions.join()} are supported`);
    if (this.find(info.name) !== undefined)
      throw new Error(`a driver with the name ${info.name} is registered already`);
    const { entry } = this.#deps;
    const { driver, node } = await this.#connect(info, signal);
    return {
      admit: async (during) => {
        await entry.put(driver.name, node, during);
        this.#drivers.set(driver.name, driver);
      },
      announce: () => this.#listeners.forEach((listener) => listener(driver)),
      close: () => {
        if (this.find(driver.name) === driver) this.#drivers.delete(driver.name);
        driver.client.close();
      },
      retire: (during) => entry.remove(driver.name, during),
    };
  }

  async #connect(info: PluginInfo, signal: AbortSignal): Promise<{ driver: RegisteredDriver; node: DriverNodeInfo }> {
    const client = this.#deps.connect(`unix://${info.endpoint}`);
    try {
      const node = await client.nodeGetInfo({}, signal);
      const { capabilities } = await client.nodeGetCapabilities({}, signal);
      const can = (type: NodeCapability) => capabilities.some(({ rpc }) => rpc?.type === type);
      const driver = {
        name: info.name,
        client,
        stages: can("STAGE_UNSTAGE_VOLUME"),
        givesGroups: can("VOLUME_MOUNT_GROUP"),
        expands: can("EXPAND_VOLUME"),
        reportsUsage: can("GET_VOLUME_STATS"),
      };
      return { driver, node };
    } catch (error) {
      client.close();
      throw error;
    }
  }
}
