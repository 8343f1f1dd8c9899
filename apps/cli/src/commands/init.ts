import { existsSync } from "node:fs";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { parseIpv4Range, type ProfileName } from "@kintsugi/api";
import { defaultClusterCidr, planServers, writeControlPlaneFiles } from "@kintsugi/lab";
import { type Command, CommandError } from "../base/command.ts";
import { parseCount, parseOne, ports, profileOption } from "../base/option-values.ts";

interface InitOptions {
  configDir: string;
  dataDir: string;
  apiPort: number;
  apiName: string[];
  servers?: string[];
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
        "\nThe address is this machine's, as nodes reach it. deploy/provision/control-plane.sh starts the services.",
      )
      .option("--config-dir <directory>", "directory of the configuration files", "/etc/kintsugi")
      .option("--data-dir <directory>", "directory of the store", "/var/lib/kintsugi/store")
      .option("--api-port <port>", "port of the API server", parseCount(ports), 6443)
      .option("--api-name <name...>", "further name or address of the API server", [])
      .option(
        "--servers <addresses>",
        "addresses of the three or five machines of the control plane, this one among them, with commas; their objects are in etcd",
        parseOne(addresses),
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
        run(async ({ clock, random, terminal }, address: string, options: InitOptions) => {
          if (existsSync(join(options.configDir, "kubelet.kubeconfig")))
            throw new CommandError(
              `this machine is a node (${options.configDir}/kubelet.kubeconfig): who may create pods could read the keys of a control plane here; make another machine the control plane`,
            );
          if (isIP(address) === 0) throw new CommandError(`${address} is not an IP address of this machine`);
          const { servers } = options;
          if (servers !== undefined && !servers.includes(address))
            throw new CommandError(`--servers has to name this machine, ${address}, too: ${servers.join(",")}`);
          const links = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
          const clusterCidr = options.clusterCidr ?? defaultClusterCidr(address, links);
          if (clusterCidr === undefined)
            terminal.say(
              `WARNING: the network of ${address} has no room for the addresses of pods: set --cluster-cidr, and a route to it on every machine; or set --pod-cidr in each \`kintsugi join\``,
            );
          await terminal.step(`control plane configured in ${options.configDir}`, () =>
            writeControlPlaneFiles(
              { clock, random },
              {
                directory: options.configDir,
                dataDirectory: options.dataDir,
                address,
                apiPort: options.apiPort,
                apiNames: options.apiName,
                servers,
                serviceRange: options.serviceClusterIpRange,
                clusterCidr,
                profile: options.profile,
              },
            ),
          );
        }),
      );
  },
};

function range(text: string): string {
  parseIpv4Range(text);
  return text;
}

/** @throws Error with a sentence unless the text lists machines of which one may be lost. */
function addresses(text: string): string[] {
  const found = text.split(",");
  const wrong = found.find((address) => isIP(address) === 0);
  if (wrong !== undefined) throw new Error(`"${wrong}" is not an IP address`);
  if (new Set(found).size !== found.length) throw new Error("each machine is listed once");
  planServers(found.length);
  return found;
}
