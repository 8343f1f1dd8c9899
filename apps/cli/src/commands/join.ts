import { hostname } from "node:os";
import { checkAddress, checkCidr, parseDurationMs } from "@kintsugi/api";
import { importStandardImages, joinNode, JoinRefused, ownContainerdSocket } from "@kintsugi/lab";
import { type Command, CommandError } from "./command.ts";
import { profileNamed } from "./init.ts";

interface JoinOptions {
  token?: string;
  discoveryTokenCaCertHash?: string;
  discoveryTokenUnsafeSkipCaVerification?: boolean;
  discoveryTimeout: string;
  nodeName: string;
  nodeIp: string;
  podCidr?: string;
  kubeletPort: string;
  containerRuntimeEndpoint?: string;
  configDir: string;
  stateDir: string;
  profile: string;
}

export const join: Command = {
  declare(program, run) {
    program
      .command("join <server>")
      .description("Give this machine an identity as a node of a cluster, and its kubelet's configuration")
      .addHelpText(
        "after",
        "\n`kintsugi token create` prints the command. deploy/provision/node.sh starts the services.",
      )
      .option(
        "--token <token>",
        "a bootstrap token; default $KINTSUGI_BOOTSTRAP_TOKEN, which others on this machine cannot see",
      )
      .option("--discovery-token-ca-cert-hash <hash>", "sha256:… of the cluster's authority")
      .option("--discovery-token-unsafe-skip-ca-verification", "let the token alone vouch for the cluster")
      .option("--discovery-timeout <duration>", "how long the cluster has to sign for a token that was just made", "1m")
      .option("--node-name <name>", "the node's name", hostname())
      .requiredOption("--node-ip <address>", "this machine's address, as the others reach it")
      .option("--pod-cidr <cidr>", "the addresses of this node's pods; default: the cluster gives the node some")
      .option("--kubelet-port <port>", "where the kubelet serves", "10250")
      .option("--container-runtime-endpoint <url>", "a runtime that is there; default a containerd of its own")
      .option("--config-dir <directory>", "where the configuration goes", "/etc/kintsugi")
      .option("--state-dir <directory>", "where containers and volumes go", "/var/lib/kintsugi")
      .option("--profile <profile>", "timers, as the control plane's", "default")
      .action(
        run(async ({ clock, random, terminal, config }, server: string, options: JoinOptions) => {
          const token = options.token ?? config.bootstrapToken;
          if (token === undefined) throw new CommandError("--token is required, or KINTSUGI_BOOTSTRAP_TOKEN");
          const authorityHash = options.discoveryTokenCaCertHash;
          if (authorityHash === undefined && options.discoveryTokenUnsafeSkipCaVerification !== true)
            throw new CommandError(
              "--discovery-token-ca-cert-hash is required: it says which cluster is meant; `kintsugi token create` prints it",
            );
          const kubeletPort = portNumber(options.kubeletPort);
          const problems = [
            ...checkAddress(options.nodeIp).map((because) => `--node-ip ${options.nodeIp}: ${because}`),
            ...(options.podCidr === undefined ? [] : checkCidr(options.podCidr)).map(
              (because) => `--pod-cidr ${options.podCidr}: ${because}`,
            ),
          ];
          if (problems.length > 0) throw new CommandError(problems.join("; "));
          const url = server.startsWith("https://") ? server.replace(/\/+$/, "") : `https://${server}`;
          try {
            const outcome = await joinNode(
              { clock, random, warn: (sentence) => terminal.say(`WARNING: ${sentence}`) },
              {
                server: url,
                token,
                authorityHash,
                discoveryTimeoutMs: parseDurationMs(options.discoveryTimeout),
                nodeName: options.nodeName.toLowerCase(),
                nodeIp: options.nodeIp,
                podCidr: options.podCidr,
                kubeletPort,
                runtimeEndpoint: options.containerRuntimeEndpoint,
                directory: options.configDir,
                stateDirectory: options.stateDir,
                profile: profileNamed(options.profile),
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

function portNumber(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new CommandError(`--kubelet-port ${text} is not a port: it is a number from 1 to 65535`);
}

export const importImages: Command = {
  declare(program, run) {
    program
      .command("import-images")
      .description("Give this machine's containerd the images that need no registry: pause and busybox")
      .option("--socket <path>", "containerd's socket", ownContainerdSocket)
      .action(
        run(async ({ clock, terminal }, { socket }: { socket: string }) => {
          const marker = "/var/lib/kintsugi/images-imported";
          await terminal.step("images imported", () =>
            importStandardImages(clock, { socket, marker, archive: "/run/kintsugi/images.tar" }),
          );
        }),
      );
  },
};
