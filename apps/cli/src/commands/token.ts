import {
  bootstrapTokenName,
  bootstrapTokenType,
  type ConfigMap,
  configMaps,
  formatTimestamp,
  isApiError,
  type Secret,
  secrets,
  textTable,
} from "@kintsugi/api";
import type { Client, ClusterAccess } from "@kintsugi/client";
import { authorityHash, newBootstrapToken, parseBootstrapToken } from "@kintsugi/pki";
import { stringify } from "yaml";
import { type AccessOptions, withClient } from "../base/cluster-access.ts";
import { ClusterOption, kubeconfigOption } from "../base/cluster-option.ts";
import { type Command, CommandError, type CommandContext } from "../base/command.ts";
import { durationOption } from "../base/option-values.ts";

const namespace = "kube-system";
const clusterInfo = { namespace: "kube-public", name: "cluster-info" } as const;

interface CreateOptions extends AccessOptions {
  /** The lifetime of the token, in milliseconds. */
  ttl: number;
  server?: string;
  printJoinCommand?: boolean;
}

export const token: Command = {
  declare(program, run) {
    const group = program.command("token").description("Manage bootstrap tokens, with which machines join the cluster");
    const declare = (name: string, description: string) =>
      group
        .command(name)
        .description(description)
        .addOption(new ClusterOption("changes"))
        .option(...kubeconfigOption);
    declare("create", "Create a token, and print it or the command that joins a machine")
      .addOption(durationOption("--ttl <duration>", "validity of the token; 0 means forever", "24h"))
      .option("--server <url>", "URL at which machines reach the API (default: the URL in the kubeconfig)")
      .option("--print-join-command", "print the command that joins a machine")
      .action(
        run((context, options: CreateOptions) =>
          withClient(context, options, (...own) => create(context, options, own)),
        ),
      );
    declare("list", "List the tokens without their secrets").action(
      run((context, options: AccessOptions) => withClient(context, options, (client) => list(context, client))),
    );
    declare("delete <id>", "Delete a token; machines that have joined remain nodes").action(
      run((context, id: string, options: AccessOptions) =>
        withClient(context, options, (client) => remove(client, id)),
      ),
    );
  },
};

async function create(
  { clock, random, terminal }: CommandContext,
  options: CreateOptions,
  [client, access]: [Client, ClusterAccess],
): Promise<void> {
  const server = options.server ?? access.server;
  const { ca } = access;
  if (ca === undefined)
    throw new CommandError("the kubeconfig contains no certificate authority, which joining machines need");
  await publishClusterInfo(client, { server, ca });
  const { id, secret } = newBootstrapToken(random);
  const object: Secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: bootstrapTokenName(id), namespace },
    type: bootstrapTokenType,
    stringData: {
      "token-id": id,
      "token-secret": secret,
      "usage-bootstrap-authentication": "true",
      "usage-bootstrap-signing": "true",
      ...(options.ttl === 0 ? {} : { expiration: formatTimestamp(clock.nowMs() + options.ttl) }),
    },
  };
  await client.create(secrets, object);
  const text = `${id}.${secret}`;
  if (options.printJoinCommand !== true) return terminal.out(text);
  terminal.out(`kintsugi join ${server} --token ${text} --discovery-token-ca-cert-hash ${authorityHash(ca)}`);
}

/**
 * Publishes the ConfigMap that a machine reads before it trusts any server; the controller-manager
 * signs it with each token.
 */
async function publishClusterInfo(client: Client, { server, ca }: { server: string; ca: string }): Promise<void> {
  const cluster = { "certificate-authority-data": Buffer.from(ca).toString("base64"), server };
  const kubeconfig = stringify(
    { apiVersion: "v1", kind: "Config", clusters: [{ name: "", cluster }] },
    { lineWidth: 0 },
  );
  const present = await client.find(configMaps, clusterInfo);
  if (present?.data?.["kubeconfig"] === kubeconfig) return;
  if (present) {
    await client.update(configMaps, { ...present, data: { ...present.data, kubeconfig } });
    return;
  }
  const object: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { ...clusterInfo }, data: { kubeconfig } };
  await client.create(configMaps, object);
}

async function list({ terminal }: CommandContext, client: Client): Promise<void> {
  const { items } = await client.list(secrets, { namespace });
  const value = (secret: Secret, key: string) => Buffer.from(secret.data?.[key] ?? "", "base64").toString("utf8");
  const rows = items
    .filter((secret) => secret.type === bootstrapTokenType)
    .map((secret) => [value(secret, "token-id"), value(secret, "expiration") || "never", value(secret, "description")]);
  for (const line of textTable(["TOKEN ID", "EXPIRES", "DESCRIPTION"], rows)) terminal.out(line);
}

/** Also accepts the whole token, as it was printed. */
async function remove(client: Client, id: string): Promise<void> {
  const name = bootstrapTokenName(parseBootstrapToken(id)?.id ?? id);
  try {
    await client.delete(secrets, { namespace, name });
  } catch (error) {
    if (isApiError(error, "NotFound")) throw new CommandError(`there is no token ${id}`, { cause: error });
    throw error;
  }
}
