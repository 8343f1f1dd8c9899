import { hostname } from "node:os";
import { canonicalQuantity, isQuantity, type Logger } from "@kintsugi/api";
import { createHttpClient, openKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom, untilAborted } from "@kintsugi/clock";
import { serveRegistration } from "@kintsugi/grpc";
import { defineService, flag, FlagError, followFiles, ownFileKind } from "@kintsugi/daemon";
import { type DeviceDriver, devicePluginType, deviceServiceNames, serveDevices } from "@kintsugi/dra";
import { DeviceFiles } from "./device-files.ts";
import { createLabDriver } from "./lab-devices.ts";
import { devicesMax } from "./plan-slices.ts";
import { SlicePublisher } from "./slice-publisher.ts";

/** Names of nodes and drivers are parts of file names: DNS subdomains, as the API has them. */
const subdomain = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

const nodeNameFlag = { help: "Name of the node", fallback: hostname() };

export const program = defineService({
  name: "device-lab",
  description: "Offers simulated devices of a node by Dynamic Resource Allocation: each is a file of this host.",
  file: ownFileKind("device-lab"),
  options: {
    kubeconfig: flag.path({
      help: "Kubeconfig with the rights of the node",
      required: true,
      example: "/etc/kintsugi/kubelet.kubeconfig",
    }),
    "driver-name": flag.text({ help: "Name of the driver", fallback: "device.lab.kintsugi.dev" }),
    "node-name": flag.text(nodeNameFlag),
    devices: flag.count({ min: 0, help: `Number of devices, ${devicesMax} at most`, fallback: 2 }),
    model: flag.text({ help: "Attribute model of each device", fallback: "lab-1" }),
    memory: flag.text({ help: "Capacity memory of each device", fallback: "1Gi" }),
    directory: flag.path({
      help: "Directory with a file for each device, and the driver's records",
      required: true,
      example: "/var/lib/kintsugi-devices",
    }),
    "cdi-dir": flag.path({ help: "Directory of CDI specifications", fallback: "/var/run/cdi" }),
    socket: flag.path({
      help: "Path of the socket to serve the kubelet on",
      required: true,
      example: "/var/lib/kubelet/plugins/device.lab.kintsugi.dev/dra.sock",
    }),
    "registration-socket": flag.path({
      help: "Path of the socket at which the kubelet finds the driver",
      required: true,
      example: "/var/lib/kubelet/plugins_registry/device.lab.kintsugi.dev-reg.sock",
    }),
  },
  sampled: { "node-name": flag.text({ ...nodeNameFlag, fallback: "node-1" }) },
  read(given) {
    for (const name of ["node-name", "driver-name"] as const)
      if (!subdomain.test(given[name]))
        throw new FlagError(`--${name} must be a name such as node-1, not ${JSON.stringify(given[name])}.`);
    if (given.devices > devicesMax)
      throw new FlagError(`--devices must be at most ${devicesMax}, not ${given.devices}.`);
    if (!isQuantity(given.memory))
      throw new FlagError(`--memory must be a quantity such as 1Gi, not ${JSON.stringify(given.memory)}.`);
    return {
      kubeconfig: given.kubeconfig,
      driverName: given["driver-name"],
      nodeName: given["node-name"],
      count: given.devices,
      model: given.model,
      // The form in which the API stores it, so that a written slice compares equal.
      memory: canonicalQuantity(given.memory),
      directory: given.directory,
      cdiDirectory: given["cdi-dir"],
      socket: given.socket,
      registrationSocket: given["registration-socket"],
    };
  },
  start(config, log) {
    const [clock, random] = [systemClock, systemRandom];
    const { access, credentials, followed } = openKubeconfig(config.kubeconfig);
    const client = createHttpClient({ clock, random }, { ...access, credentials, userAgent: "device-lab" });
    const files = new DeviceFiles(config.directory);
    const publisher = new SlicePublisher({ client, clock, log, listBroken: () => files.listBroken() }, config);
    const driver = createLabDriver({ client, clock }, config);
    return [
      followFiles({ clock, log }, followed),
      { name: "driver", run: (signal) => serve(driver, { config, log }, signal) },
      { name: "slices", run: (signal) => publisher.run(signal) },
    ];
  },
});

interface Served {
  readonly driverName: string;
  /** Path of the driver's own socket. */
  readonly socket: string;
  readonly registrationSocket: string;
  readonly count: number;
}

async function serve(
  driver: DeviceDriver,
  { config, log }: { config: Served; log: Logger },
  signal: AbortSignal,
): Promise<void> {
  const { driverName, socket, registrationSocket } = config;
  await using server = await serveDevices(driver, socket);
  log.info("serving", { endpoint: server.endpoint, devices: config.count });
  const info = { type: devicePluginType, name: driverName, endpoint: socket, supportedVersions: deviceServiceNames };
  await using _registration = await serveRegistration(info, registrationSocket, ({ pluginRegistered, error }) => {
    if (pluginRegistered) log.info("registered with the kubelet");
    else log.warn("the kubelet refused the driver", { error });
  });
  await untilAborted(signal);
}
