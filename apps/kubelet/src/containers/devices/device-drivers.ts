import type { PluginInfo } from "@kintsugi/grpc";
import { chooseDeviceService, type DeviceClient, devicePluginType, type DeviceServiceName } from "@kintsugi/dra";
import type { OpenPlugin, PluginHandler } from "../../plugins/plugin-registry.ts";

/** Opens a driver's own socket, "unix:///…", with one of its services. */
export type ConnectToDevices = (endpoint: string, service: DeviceServiceName) => DeviceClient;

interface RegisteredPlugin {
  readonly endpoint: string;
  readonly client: DeviceClient;
}

/**
 * The registered device drivers. A driver may have several plugins while one replaces the other.
 * The plugin that registered last is called.
 */
export class DeviceDrivers implements PluginHandler {
  readonly type = devicePluginType;
  readonly #connect: ConnectToDevices;
  readonly #byDriver = new Map<string, RegisteredPlugin[]>();
  readonly #listeners: ((driverName: string) => void)[] = [];

  constructor(deps: { connect: ConnectToDevices }) {
    this.#connect = deps.connect;
  }

  find(driverName: string): DeviceClient | undefined {
    return this.#byDriver.get(driverName)?.at(-1)?.client;
  }

  /** @throws Error in upstream's words. */
  get(driverName: string): DeviceClient {
    const client = this.find(driverName);
    if (client === undefined) throw new Error(`DRA driver ${driverName} is not registered`);
    return client;
  }

  /** Calls back when a plugin of a driver was registered. */
  onRegistered(listener: (driverName: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Resolves with whether a plugin of the driver accepts connections. */
  async isUsable(driverName: string, signal: AbortSignal): Promise<boolean> {
    const plugins = this.#byDriver.get(driverName) ?? [];
    const connected = await Promise.all(plugins.map(({ client }) => client.isConnected(signal)));
    return connected.includes(true);
  }

  async open({ name, endpoint, supportedVersions }: PluginInfo): Promise<OpenPlugin> {
    const service = chooseDeviceService(name, { endpoint, supported: supportedVersions });
    const present = this.#byDriver.get(name) ?? [];
    if (present.some((plugin) => plugin.endpoint === endpoint))
      throw new Error(`endpoint ${endpoint} already registered for DRA driver plugin ${name}`);
    const plugin = { endpoint, client: this.#connect(`unix://${endpoint}`, service) };
    return {
      admit: async () => void this.#byDriver.set(name, [...(this.#byDriver.get(name) ?? []), plugin]),
      announce: () => this.#listeners.forEach((listener) => listener(name)),
      close: () => {
        const others = (this.#byDriver.get(name) ?? []).filter((each) => each !== plugin);
        if (others.length === 0) this.#byDriver.delete(name);
        else this.#byDriver.set(name, others);
        plugin.client.close();
      },
    };
  }
}
