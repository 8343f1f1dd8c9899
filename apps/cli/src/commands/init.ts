import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { parseIpv4Range, type ProfileName } from "@kintsugi/api";
import {
  defaultClusterCidr,
  JoinRefused,
  newCertificateKey,
  openBundle,
  parseCertificateKey,
  placeSharedKeys,
  planServers,
  ports,
  readBundle,
  sealBundle,
  type SharedSettings,
  writeControlPlaneFiles,
} from "@kintsugi/lab";
import { type Command, type CommandContext, CommandError } from "../base/command.ts";
import { parseCount, parseOne, profileOption } from "../base/option-values.ts";

interface InitOptions {
  configDir: string;
  dataDir: string;
  apiPort: number;
  apiName: string[];
  servers?: string[];
  joinControlPlane?: string;
  certificateKey?: string;
  serviceClusterIpRange: string;
  clusterCidr?: string;
  profile: ProfileName;
}

export const init: Command = {
  declare(program, run) {
    program
      .command("init <address>")
      .description(
        "Create certificates and configuration files for a control plane on this machine without starting it",
      )
      .addHelpText(
        "after",
        "\nThe address is the address of this machine that nodes can reach. deploy/provision/control-plane.sh starts the services.",
      )
      .option("--config-dir <directory>", "directory of the configuration files", "/etc/kintsugi")
      .option("--data-dir <directory>", "directory of the store", "/var/lib/kintsugi/store")
      .option("--api-port <port>", "port of the API server", parseCount(ports), 6443)
      .option("--api-name <name...>", "further name or address of the API server", [])
      .option(
        "--servers <addresses>",
        "addresses of the three or five machines of the control plane, including this machine, separated by commas; the machines store the objects in etcd",
        parseOne(addresses),
      )
      .option(
        "--join-control-plane <file>",
        "file control-plane.join that `kintsugi init --servers` wrote on the first machine: this machine becomes a further control-plane machine with the same settings",
      )
      .option(
        "--certificate-key <key>",
        "key of control-plane.join, 64 hexadecimal digits (default: $KINTSUGI_CERTIFICATE_KEY; the first machine creates a key)",
      )
      .option(
        "--service-cluster-ip-range <cidr>",
        "range of the cluster IPs of Services",
        parseOne(range),
        "10.96.0.0/16",
      )
      .option(
        "--cluster-cidr <cidr>",
        "address range of all pods, of which each node receives 256 addresses (default: half of the network of the address)",
        parseOne(range),
      )
      .addOption(profileOption().default("default"))
      .action(
        run(async (context, address: string, options: InitOptions) => {
          if (existsSync(join(options.configDir, "kubelet.kubeconfig")))
            throw new CommandError(
              `this machine is a node (${options.configDir}/kubelet.kubeconfig): a user who may create pods could read the keys of a control plane here; use another machine as the control plane`,
            );
          if (isIP(address) === 0) throw new CommandError(`${address} is not an IP address of this machine`);
          try {
            if (options.joinControlPlane === undefined) await initFirst(context, address, options);
            else await initFurther(context, { address, bundleFile: options.joinControlPlane }, options);
          } catch (error) {
            if (error instanceof JoinRefused) throw new CommandError(error.message, { cause: error });
            throw error;
          }
        }),
      );
  },
};

/**
 * The file for the other machines of the control plane, in the directory of the configuration
 * files.
 */
const bundleName = "control-plane.join";

async function initFirst(context: CommandContext, address: string, options: InitOptions): Promise<void> {
  const { clock, random, terminal, config } = context;
  const { servers, apiPort, apiName: apiNames, serviceClusterIpRange: serviceRange, profile } = options;
  if (servers !== undefined && !servers.includes(address))
    throw new CommandError(`--servers must include this machine, ${address}: ${servers.join(",")}`);
  const links = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const clusterCidr = options.clusterCidr ?? defaultClusterCidr(address, links);
  if (clusterCidr === undefined)
    terminal.say(
      `WARNING: the network of ${address} has too few addresses for pods: set --cluster-cidr, and a route to it on every machine; or set --pod-cidr in each \`kintsugi join\``,
    );
  await configure(context, options, { address, servers, apiPort, apiNames, serviceRange, clusterCidr, profile });
  if (servers === undefined) return;
  const given = options.certificateKey ?? config.certificateKey;
  const key = given === undefined ? newCertificateKey(random) : parseCertificateKey(given);
  const settings = { servers, apiPort, apiNames, serviceRange, clusterCidr, profile };
  const bundle = await readBundle(join(options.configDir, "pki"), settings);
  const file = join(options.configDir, bundleName);
  await writeFile(file, sealBundle({ clock, random }, bundle, key), { mode: 0o600 });
  terminal.out(
    `${file} has the encrypted keys of the cluster for the other machines, and is valid for two hours. On each other machine:`,
  );
  const shown = given === undefined ? key : "KEY";
  terminal.out(`  kintsugi init ADDRESS --join-control-plane ${bundleName} --certificate-key ${shown}`);
}

/** Adds this machine to the control plane of a bundle. */
async function initFurther(
  context: CommandContext,
  { address, bundleFile }: { address: string; bundleFile: string },
  options: InitOptions,
): Promise<void> {
  if (options.servers !== undefined)
    throw new CommandError("--servers is only for the first machine: with --join-control-plane the file has its value");
  const key = options.certificateKey ?? context.config.certificateKey;
  if (key === undefined)
    throw new CommandError("--join-control-plane needs --certificate-key, which the first machine has printed");
  let text: string;
  try {
    text = await readFile(bundleFile, "utf8");
  } catch (error) {
    throw new CommandError(`${bundleFile} cannot be read: copy ${bundleName} from the first machine`, { cause: error });
  }
  const bundle = openBundle(context, text, parseCertificateKey(key));
  const { servers } = bundle.settings;
  if (!servers.includes(address))
    throw new CommandError(
      `${address} is not one of this control plane's machines, ${servers.join(", ")}: use one of these, or run \`kintsugi init\` on the first machine with other --servers`,
    );
  await placeSharedKeys(join(options.configDir, "pki"), bundle);
  await configure(context, options, { clusterCidr: undefined, ...bundle.settings, address });
}

async function configure(
  { clock, random, terminal }: CommandContext,
  { configDir, dataDir }: InitOptions,
  settings: Omit<SharedSettings, "servers" | "clusterCidr"> & {
    address: string;
    servers: readonly string[] | undefined;
    clusterCidr: string | undefined;
  },
): Promise<void> {
  await terminal.step(
    { doing: `Configuring a control plane in ${configDir}`, done: `control plane configured in ${configDir}` },
    () => writeControlPlaneFiles({ clock, random }, { directory: configDir, dataDirectory: dataDir, ...settings }),
  );
}

function range(text: string): string {
  parseIpv4Range(text);
  return text;
}

/** @throws Error with a sentence unless the listed machines tolerate the loss of one machine. */
function addresses(text: string): string[] {
  const found = text.split(",");
  const wrong = found.find((address) => isIP(address) === 0);
  if (wrong !== undefined) throw new Error(`"${wrong}" is not an IP address`);
  if (new Set(found).size !== found.length) throw new Error("each machine is listed once");
  planServers(found.length);
  return found;
}
