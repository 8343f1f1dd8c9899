import { hostname } from "node:os";
import { checkAddress, checkCidr, type ProfileName } from "@kintsugi/api";
import { importStandardImages, joinNode, JoinRefused, ownContainerdSocket, ports } from "@kintsugi/lab";
import { parseBootstrapToken } from "@kintsugi/pki";
import { type Command, CommandError } from "../base/command.ts";
import { durationOption, parseCount, profileOption } from "../base/option-values.ts";

interface JoinOptions {
  token?: string;
  discoveryTokenCaCertHash?: string;
  discoveryTokenUnsafeSkipCaVerification?: boolean;
  /** The time for the discovery, in milliseconds. */
  discoveryTimeout: number;
  nodeName: string;
  nodeIp: string;
  podCidr?: string;
  kubeletPort: number;
  containerRuntimeEndpoint?: string;
  configDir: string;
  stateDir: string;
  profile: ProfileName;
}

export const join: Command = {
  declare(program, run) {
    program
      .command("join <server>")
      .description("Create an identity for this machine as a node of a cluster, and the configuration of its kubelet")
      .addHelpText(
        "after",
        "\n`kintsugi token create` prints the command. deploy/provision/node.sh starts the services.",
      )
      .option(
        "--token <token>",
        "bootstrap token (default: $KINTSUGI_BOOTSTRAP_TOKEN, which other users of this machine cannot see)",
      )
      .option("--discovery-token-ca-cert-hash <hash>", "hash of the cluster's certificate authority, sha256:…")
      .option("--discovery-token-unsafe-skip-ca-verification", "verify the cluster only by the token")
      .addOption(
        durationOption(
          "--discovery-timeout <duration>",
          "time for the cluster to sign the cluster info for a new token",
          "1m",
        ),
      )
      .option("--node-name <name>", "name of the node", hostname())
      .requiredOption("--node-ip <address>", "address at which other machines reach this machine")
      .option("--pod-cidr <cidr>", "address range of this node's pods (default: allocated by the cluster)")
      .option("--kubelet-port <port>", "port of the kubelet", parseCount(ports), 10250)
      .option(
        "--container-runtime-endpoint <url>",
        "socket of an existing container runtime (default: a separate containerd)",
      )
      .option("--config-dir <directory>", "directory of the configuration files", "/etc/kintsugi")
      .option("--state-dir <directory>", "directory of containers and volumes", "/var/lib/kintsugi")
      .addOption(profileOption().default("default"))
      .action(
        run(async ({ clock, random, terminal, config }, server: string, options: JoinOptions) => {
          const { token, authorityHash } = trustIn(options, config.bootstrapToken);
          const problems = problemsOf(options);
          if (problems.length > 0) throw new CommandError(problems.join("; "));
          const url = server.startsWith("https://") ? server.replace(/\/+$/, "") : `https://${server}`;
          try {
            const outcome = await joinNode(
              { clock, random, warn: (sentence) => terminal.say(`WARNING: ${sentence}`) },
              {
                server: url,
                token,
                authorityHash,
                discoveryTimeoutMs: options.discoveryTimeout,
                nodeName: options.nodeName.toLowerCase(),
                nodeIp: options.nodeIp,
                podCidr: options.podCidr,
                kubeletPort: options.kubeletPort,
                runtimeEndpoint: options.containerRuntimeEndpoint,
                directory: options.configDir,
                stateDirectory: options.stateDir,
                profile: options.profile,
              },
            );
            terminal.out(`node ${options.nodeName.toLowerCase()} ${outcome}: ${options.configDir}/kubelet.yaml`);
          } catch (error) {
            if (error instanceof JoinRefused) throw new CommandError(error.message, { cause: error });
            throw error;
          }
        }),
      );
  },
};

/** Returns the proof by which the cluster and this machine verify each other. */
function trustIn(options: JoinOptions, inherited: string | undefined): { token: string; authorityHash?: string } {
  const token = options.token ?? inherited;
  if (token === undefined) throw new CommandError("--token is required, or KINTSUGI_BOOTSTRAP_TOKEN");
  if (!parseBootstrapToken(token)) throw new CommandError("--token: a token looks like abcdef.0123456789abcdef");
  const authorityHash = options.discoveryTokenCaCertHash;
  if (authorityHash === undefined) {
    if (options.discoveryTokenUnsafeSkipCaVerification === true) return { token };
    throw new CommandError(
      "--discovery-token-ca-cert-hash is required: it identifies the cluster; `kintsugi token create` prints it",
    );
  }
  if (!/^sha256:[0-9a-f]{64}$/i.test(authorityHash))
    throw new CommandError(`--discovery-token-ca-cert-hash ${authorityHash} is not sha256: and 64 hexadecimal digits`);
  return { token, authorityHash };
}

function problemsOf({ nodeIp, podCidr }: JoinOptions): string[] {
  return [
    ...checkAddress(nodeIp).map((because) => `--node-ip ${nodeIp}: ${because}`),
    ...(podCidr === undefined ? [] : checkCidr(podCidr)).map((because) => `--pod-cidr ${podCidr}: ${because}`),
  ];
}

export const importImages: Command = {
  declare(program, run) {
    program
      .command("import-images")
      .description("Import the images that need no registry, pause and busybox, into this machine's containerd")
      .option("--socket <path>", "socket of containerd", ownContainerdSocket)
      .action(
        run(async ({ clock, terminal }, { socket }: { socket: string }) => {
          const marker = "/var/lib/kintsugi/images-imported";
          try {
            await terminal.step({ doing: "Importing images", done: "images imported" }, () =>
              importStandardImages(clock, { socket, marker, archive: "/run/kintsugi/images.tar" }),
            );
          } catch (error) {
            const { message } = error as Error;
            throw new CommandError(`${message}: start containerd, or set its socket with --socket`, { cause: error });
          }
        }),
      );
  },
};
