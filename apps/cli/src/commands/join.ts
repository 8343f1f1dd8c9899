import { hostname } from "node:os";
import { checkAddress, checkCidr, type ProfileName } from "@kintsugi/api";
import { importStandardImages, joinNode, JoinRefused, ownContainerdSocket } from "@kintsugi/lab";
import { parseBootstrapToken } from "@kintsugi/pki";
import { type Command, CommandError } from "../base/command.ts";
import { durationOption, parseCount, ports, profileOption } from "../base/option-values.ts";

interface JoinOptions {
  token?: string;
  discoveryTokenCaCertHash?: string;
  discoveryTokenUnsafeSkipCaVerification?: boolean;
  /** In milliseconds. */
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
      .addOption(
        durationOption(
          "--discovery-timeout <duration>",
          "how long the cluster has to sign for a token that was just made",
          "1m",
        ),
      )
      .option("--node-name <name>", "the node's name", hostname())
      .requiredOption("--node-ip <address>", "this machine's address, as the others reach it")
      .option("--pod-cidr <cidr>", "the addresses of this node's pods; default: the cluster gives the node some")
      .option("--kubelet-port <port>", "where the kubelet serves", parseCount(ports), 10250)
      .option("--container-runtime-endpoint <url>", "a runtime that is there; default a containerd of its own")
      .option("--config-dir <directory>", "where the configuration goes", "/etc/kintsugi")
      .option("--state-dir <directory>", "where containers and volumes go", "/var/lib/kintsugi")
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

/** Why the cluster shall trust this machine, and this machine the cluster. */
function trustIn(options: JoinOptions, inherited: string | undefined): { token: string; authorityHash?: string } {
  const token = options.token ?? inherited;
  if (token === undefined) throw new CommandError("--token is required, or KINTSUGI_BOOTSTRAP_TOKEN");
  if (!parseBootstrapToken(token)) throw new CommandError("--token: a token looks like abcdef.0123456789abcdef");
  const authorityHash = options.discoveryTokenCaCertHash;
  if (authorityHash === undefined) {
    if (options.discoveryTokenUnsafeSkipCaVerification === true) return { token };
    throw new CommandError(
      "--discovery-token-ca-cert-hash is required: it says which cluster is meant; `kintsugi token create` prints it",
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
      .description("Give this machine's containerd the images that need no registry: pause and busybox")
      .option("--socket <path>", "containerd's socket", ownContainerdSocket)
      .action(
        run(async ({ clock, terminal }, { socket }: { socket: string }) => {
          const marker = "/var/lib/kintsugi/images-imported";
          try {
            await terminal.step("images imported", () =>
              importStandardImages(clock, { socket, marker, archive: "/run/kintsugi/images.tar" }),
            );
          } catch (error) {
            const { message } = error as Error;
            throw new CommandError(`${message}: start containerd, or say with --socket where it is`, { cause: error });
          }
        }),
      );
  },
};
