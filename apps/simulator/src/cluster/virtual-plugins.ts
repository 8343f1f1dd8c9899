import type { KubeletDeps } from "@kintsugi/kubelet/factory";
import { type Incarnation, mortal } from "@kintsugi/simulation";
import { type NodeDevices, virtualDevicesName } from "./virtual-devices.ts";
import type { NodeStorage } from "./virtual-storage.ts";

type Plugins = NonNullable<KubeletDeps["plugins"]>;

const devicesSocket = { path: "/registry/devices.sock", identity: "1" };

/**
 * The connections of one kubelet incarnation to its node's drivers; undefined without drivers.
 */
export function nodePlugins(
  { storage, devices }: { storage: NodeStorage | undefined; devices: NodeDevices | undefined },
  incarnation: Incarnation,
): Plugins | undefined {
  if (storage === undefined && devices === undefined) return undefined;
  const sockets = [...(storage ? [storage.socket] : []), ...(devices ? [devicesSocket] : [])];
  return {
    sockets: { list: () => Promise.resolve(sockets), watch: () => {} },
    connectCsi: storage?.connectCsi ?? hasNone,
    connectDevices: () => (devices === undefined ? hasNone() : mortal(devices.client(), incarnation)),
    register: (path) =>
      path === devicesSocket.path
        ? {
            getInfo: () =>
              Promise.resolve({
                type: "DRAPlugin",
                name: virtualDevicesName,
                endpoint: "/devices.sock",
                supportedVersions: ["v1.DRAPlugin"],
              }),
            notify: () => Promise.resolve(),
            close: () => {},
          }
        : (storage ?? hasNone()).register(path),
  };
}

function hasNone(): never {
  throw new Error("the simulated node does not have this driver");
}
