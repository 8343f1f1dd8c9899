import type { Logger } from "@kintsugi/api";
import { systemClock, systemRandom, untilAborted } from "@kintsugi/clock";
import { csiPluginType, type CsiDriver, serveCsi, serveRegistration } from "@kintsugi/csi";
import { type Loop, runService } from "@kintsugi/daemon";
import { type CsiLabConfig, readConfig } from "./config.ts";
import { hasLoopDevices } from "./host/loop-devices.ts";
import { createControllerDriver, createNodeDriver } from "./lab-driver.ts";

void runService({ name: "csi-lab", configure: readConfig, start });

async function start(config: CsiLabConfig, log: Logger): Promise<readonly Loop[]> {
  const deps = { clock: systemClock, random: systemRandom };
  const { driverName, directory, node, backing, inlineLimits, searchPath } = config;
  const images = backing === "auto" ? hasLoopDevices(searchPath) : backing === "image";
  const options = { driverName, directory, images };
  const driver =
    node === undefined
      ? createControllerDriver(deps, options)
      : await createNodeDriver(deps, { ...options, ...node, inlineLimits });
  log.info("disks", { directory, form: images ? "images" : "directories" });
  return [{ name: "csi", run: (signal) => serve(driver, { config, log }, signal) }];
}

async function serve(
  driver: Partial<CsiDriver>,
  { config, log }: { config: CsiLabConfig; log: Logger },
  signal: AbortSignal,
): Promise<void> {
  const { driverName, socket, node } = config;
  await using server = await serveCsi(driver, socket);
  log.info("serving", { endpoint: server.endpoint });
  if (node?.registrationSocket === undefined) {
    await untilAborted(signal);
    return;
  }
  const info = { type: csiPluginType, name: driverName, endpoint: socket, supportedVersions: ["1.0.0"] };
  await using _registration = await serveRegistration(info, node.registrationSocket, ({ pluginRegistered, error }) => {
    if (pluginRegistered) log.info("registered with the kubelet");
    else log.warn("the kubelet refused the driver", { error });
  });
  await untilAborted(signal);
}
