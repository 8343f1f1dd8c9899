import { hostname } from "node:os";
import type { Logger } from "@kintsugi/api";
import { systemClock, systemRandom, untilAborted } from "@kintsugi/clock";
import { csiPluginType, type CsiDriver, serveCsi } from "@kintsugi/csi";
import { serveRegistration } from "@kintsugi/grpc";
import { defineService, flag, FlagError, ownFileKind } from "@kintsugi/daemon";
import { hasLoopDevices } from "./host/loop-devices.ts";
import { createControllerDriver, createNodeDriver } from "./lab-driver.ts";
import { inlineLimitsDefault } from "./node/inline-room.ts";

const mebibyte = 1024 ** 2;

/** Node names are parts of file names: a DNS subdomain, as the API has them. */
const nodeName = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

const nodeNameFlag = { help: "Name of the node", fallback: hostname() };

export const program = defineService({
  name: "csi-lab",
  description: "Serves disks of this host as a CSI driver: files that are attached to one node at a time.",
  file: ownFileKind("csi-lab"),
  options: {
    mode: flag.choice(["controller", "node"], {
      help: "Part of the driver that this process runs",
      fallback: "node",
    }),
    "driver-name": flag.text({ help: "Name of the driver", fallback: "lab.csi.kintsugi.dev" }),
    directory: flag.path({
      help: "Directory with the disks, which all processes of the driver share",
      required: true,
      example: "/var/lib/kintsugi-csi",
    }),
    socket: flag.path({
      help: "Path of the socket to serve CSI on",
      required: true,
      example: "/var/lib/kubelet/plugins/lab.csi.kintsugi.dev/csi.sock",
    }),
    "registration-socket": flag.path({
      help: "Path of the socket at which the kubelet finds the driver",
      example: "/var/lib/kubelet/plugins_registry/lab.csi.kintsugi.dev-reg.sock",
    }),
    "node-name": flag.text(nodeNameFlag),
    zone: flag.text({ help: "Zone of the node; disks can be attached in their own zone only", fallback: "lab" }),
    backing: flag.choice(["auto", "image", "directory"], {
      help: "Form of new disks: images with ext4, directories without a limit, or images where loop devices work",
      fallback: "auto",
    }),
    "inline-volume-mib-max": flag.count({
      min: 8,
      help: "Largest size of a volume that a pod describes itself, in MiB; no quota counts such volumes",
      fallback: inlineLimitsDefault.volumeBytesMax / mebibyte,
    }),
    "inline-total-mib-max": flag.count({
      min: 8,
      help: "Total size of all volumes that pods describe themselves, in MiB; one namespace may use at most half of it",
      fallback: inlineLimitsDefault.totalBytesMax / mebibyte,
    }),
  },
  sampled: { "node-name": flag.text({ ...nodeNameFlag, fallback: "node-1" }) },
  read(given) {
    const nodeId = given["node-name"];
    if (given.mode === "node" && !nodeName.test(nodeId))
      throw new FlagError(`--node-name must be a node's name, such as node-1, not ${JSON.stringify(nodeId)}.`);
    return {
      driverName: given["driver-name"],
      directory: given.directory,
      socket: given.socket,
      /** Undefined: the process is the controller. */
      node:
        given.mode === "node"
          ? { nodeId, zone: given.zone, registrationSocket: given["registration-socket"] }
          : undefined,
      backing: given.backing,
      inlineLimits: {
        volumeBytesMax: given["inline-volume-mib-max"] * mebibyte,
        totalBytesMax: given["inline-total-mib-max"] * mebibyte,
      },
      /** The directories in which programs are searched: PATH. */
      searchPath: process.env["PATH"] ?? "",
    };
  },
  async start(config, log) {
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
  },
});

interface Served {
  readonly driverName: string;
  /** Path of the driver's own socket. */
  readonly socket: string;
  readonly node: { readonly registrationSocket: string | undefined } | undefined;
}

async function serve(
  driver: Partial<CsiDriver>,
  { config, log }: { config: Served; log: Logger },
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
