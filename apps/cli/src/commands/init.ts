import { existsSync } from "node:fs";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { parseIpv4Range, type ProfileName } from "@kintsugi/api";
import { defaultClusterCidr, writeControlPlaneFiles } from "@kintsugi/lab";
import { type Command, CommandError } from "../base/command.ts";
import { parseCount, parseOne, ports, profileOption } from "../base/option-values.ts";

interface InitOptions {
  configDir: string;
  dataDir: string;
  apiPort: number;
  apiName: string[];
  serviceClusterIpRange: string;
  clusterCidr?: string;
  profile: ProfileName;
}

export const init: Command = {
  declare(program, run) {
    program
      .command("init <address>")
      .description("Make certificates and configuration files for a control plane on this machine, and start nothing")
      .addHelpText(
        "after",
        "\nThe address is this machine's, as nodes reach it. deploy/provision/control-plane.sh starts the services.",
      )
      .option("--config-dir <directory>", "where they go", "/etc/kintsugi")
      .option("--data-dir <directory>", "where the cluster lives", "/var/lib/kintsugi/store")
      .option("--api-port <port>", "the API server's port", parseCount(ports), 6443)
      .option("--api-name <name...>", "a further name or address of the API server", [])
      .option("--service-cluster-ip-range <cidr>", "addresses given to services", parseOne(range), "10.96.0.0/16")
      .option(
        "--cluster-cidr <cidr>",
        "addresses of all pods, of which each node gets 256; default: half of the network that the address is in",
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
          const links = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
          const clusterCidr = options.clusterCidr ?? defaultClusterCidr(address, links);
          if (clusterCidr === undefined)
            terminal.say(
              `WARNING: the network of ${address} has no room for pods' addresses: give --cluster-cidr, and every machine a route to it; or each \`kintsugi join\` a --pod-cidr`,
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
