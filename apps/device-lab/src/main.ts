import type { Logger } from "@kintsugi/api";
import { createHttpClient, openKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom, untilAborted } from "@kintsugi/clock";
import { serveRegistration } from "@kintsugi/csi";
import { followFiles, type Loop, runService } from "@kintsugi/daemon";
import { type DeviceDriver, devicePluginType, deviceServiceNames, serveDevices } from "@kintsugi/dra";
import { type DeviceLabConfig, readConfig } from "./config.ts";
import { DeviceFiles } from "./device-files.ts";
import { createLabDriver } from "./lab-devices.ts";
import { SlicePublisher } from "./slice-publisher.ts";

void runService({ name: "device-lab", configure: readConfig, start });

async function start(config: DeviceLabConfig, log: Logger): Promise<readonly Loop[]> {
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
}

async function serve(
  driver: DeviceDriver,
  { config, log }: { config: DeviceLabConfig; log: Logger },
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
