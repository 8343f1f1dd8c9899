import type { Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import {
  type CsiClient,
  csiPluginType,
  type DriverNodeInfo,
  type NodeCapability,
  type PluginInfo,
  type Registration,
} from "@kintsugi/csi";
import { Doorbell } from "../../../base/doorbell.ts";
import type { PluginSocket, PluginSockets } from "./plugin-sockets.ts";

/** The way from a node to its drivers. */
export interface CsiAccess {
  readonly sockets: PluginSockets;
  /** Opens a driver's own socket: "unix:///…". */
  readonly connect: (endpoint: string) => CsiClient;
  /** Opens the registration socket of a plugin. */
  readonly register: (socketPath: string) => Registration;
}

export interface RegisteredDriver {
  readonly name: string;
  readonly client: CsiClient;
  /** The driver mounts a volume for the node before it mounts it for pods. */
  readonly stages: boolean;
  /** The driver gives the files to the pod's group itself. */
  readonly givesGroups: boolean;
  /** The driver grows file systems on the node. */
  readonly expands: boolean;
  /** The driver reports the usage of its volumes. */
  readonly reportsUsage: boolean;
}

export interface DriverRegistryDeps {
  readonly access: CsiAccess;
  readonly clock: Clock;
  readonly log: Logger;
  readonly entry: {
    put(driverName: string, info: DriverNodeInfo, signal: AbortSignal): Promise<void>;
    remove(driverName: string, signal: AbortSignal): Promise<void>;
  };
}

/** Sockets are looked for this often beside the changes that the kernel reports. */
const sweepIntervalMs = 60_000;
/** A plugin that could not be registered is tried again after this time. */
const retryMs = 1_000;

// A plugin becomes known as upstream's plugin watcher has it:
//
//   socket appears ─► GetInfo ─► NodeGetInfo of its driver ─► labels, CSINode ─►
// NotifyRegistrationStatus
//   socket is gone ─► CSINode without it

/** The CSI drivers of this node that are registered. */
export class DriverRegistry {
  readonly #deps: DriverRegistryDeps;
  readonly #bell: Doorbell;
  readonly #byPath = new Map<string, { identity: string; driver: RegisteredDriver }>();
  readonly #listeners: ((driver: RegisteredDriver) => void)[] = [];

  constructor(deps: DriverRegistryDeps) {
    this.#deps = deps;
    this.#bell = new Doorbell(deps.clock);
  }

  find(name: string): RegisteredDriver | undefined {
    return [...this.#byPath.values()].find(({ driver }) => driver.name === name)?.driver;
  }

  onRegistered(listener: (driver: RegisteredDriver) => void): void {
    this.#listeners.push(listener);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { access, log } = this.#deps;
    // The directory has to be there before it can be watched.
    await access.sockets.list();
    access.sockets.watch(() => this.#bell.ring(), signal);
    while (!signal.aborted) {
      const isWhole = await this.#lookForSockets(signal).catch((error: unknown) => {
        if (!signal.aborted) log.warn("plugins not looked for", { error });
        return false;
      });
      await this.#bell.wait(isWhole ? sweepIntervalMs : retryMs, signal);
    }
    for (const { driver } of this.#byPath.values()) driver.client.close();
  }

  /** Returns whether every plugin is registered. */
  async #lookForSockets(signal: AbortSignal): Promise<boolean> {
    const sockets = await this.#deps.access.sockets.list();
    const present = new Map(sockets.map((socket) => [socket.path, socket]));
    for (const [path, { identity, driver }] of this.#byPath) {
      if (present.get(path)?.identity === identity) continue;
      this.#byPath.delete(path);
      driver.client.close();
      if (!present.has(path)) await this.#deps.entry.remove(driver.name, signal);
    }
    let isWhole = true;
    for (const socket of sockets) {
      if (!this.#byPath.has(socket.path)) isWhole = (await this.#register(socket, signal)) && isWhole;
    }
    return isWhole;
  }

  async #register(socket: PluginSocket, signal: AbortSignal): Promise<boolean> {
    const { access, log, entry } = this.#deps;
    const registration = access.register(socket.path);
    try {
      const info = await registration.getInfo(signal);
      const outcome = await this.#open(info, signal).catch((error: unknown) => error as Error);
      if (outcome instanceof Error) {
        log.warn("plugin not registered", { plugin: info.name, error: outcome });
        await registration.notify({ pluginRegistered: false, error: outcome.message }, signal);
        return false;
      }
      const { driver, node } = outcome;
      await entry.put(driver.name, node, signal);
      this.#byPath.set(socket.path, { identity: socket.identity, driver });
      await registration.notify({ pluginRegistered: true, error: "" }, signal);
      log.info("driver registered", { driver: driver.name });
      for (const listener of this.#listeners) listener(driver);
      return true;
    } catch (error) {
      if (!signal.aborted) log.warn("plugin not registered", { socket: socket.path, error });
      return false;
    } finally {
      registration.close();
    }
  }

  async #open(info: PluginInfo, signal: AbortSignal): Promise<{ driver: RegisteredDriver; node: DriverNodeInfo }> {
    if (info.type !== csiPluginType) throw new Error(`plugins of type ${info.type} are not supported by this kubelet`);
    if (!info.supportedVersions.some((version) => version.replace(/^v/, "").startsWith("1.")))
      throw new Error(`none of the versions specified ${info.supportedVersions.join()} are supported`);
    const other = this.find(info.name);
    if (other !== undefined) throw new Error(`a driver with the name ${info.name} is registered already`);
    const client = this.#deps.access.connect(`unix://${info.endpoint}`);
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
