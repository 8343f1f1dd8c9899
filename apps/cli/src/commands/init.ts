import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { parseIpv4Range, type ProfileName, profiles } from "@kintsugi/api";
import { defaultClusterCidr, writeControlPlaneFiles } from "@kintsugi/lab";
import { type Command, CommandError } from "./command.ts";

interface InitOptions {
  configDir: string;
  dataDir: string;
  apiPort: string;
  apiName: string[];
  serviceClusterIpRange: string;
  clusterCidr?: string;
  profile: string;
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
      .option("--api-port <port>", "the API server's port", "6443")
      .option("--api-name <name...>", "a further name or address of the API server", [])
      .option("--service-cluster-ip-range <cidr>", "addresses given to services", "10.96.0.0/16")
      .option(
        "--cluster-cidr <cidr>",
        "addresses of all pods, of which each node gets 256; default: half of the network that the address is in",
      )
      .option("--profile <profile>", `timers: ${Object.keys(profiles).join(", ")}`, "default")
      .action(
        run(async ({ clock, random, terminal }, address: string, options: InitOptions) => {
          if (isIP(address) === 0) throw new CommandError(`${address} is not an IP address of this machine`);
          const apiPort = Number(options.apiPort);
          if (!Number.isInteger(apiPort)) throw new CommandError(`--api-port ${options.apiPort} is not a port`);
          const links = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
          const clusterCidr = range(options.clusterCidr) ?? defaultClusterCidr(address, links);
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
                apiPort,
                apiNames: options.apiName,
                serviceRange: options.serviceClusterIpRange,
                clusterCidr,
                profile: profileNamed(options.profile),
              },
            ),
          );
        }),
      );
  },
};

function range(text: string | undefined): string | undefined {
  try {
    if (text !== undefined) parseIpv4Range(text);
    return text;
  } catch (error) {
    throw new CommandError(`--cluster-cidr: ${(error as Error).message}`, { cause: error });
  }
}

export function profileNamed(text: string): ProfileName {
  if (text in profiles) return text as ProfileName;
  throw new CommandError(`--profile ${text} is none of ${Object.keys(profiles).join(", ")}`);
}
