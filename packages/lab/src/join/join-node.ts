import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import {
  type CertificateSigningRequest,
  certificateSigningRequests,
  isApiError,
  isConditionTrue,
  nodes,
} from "@kintsugi/api";
import { type Client, ConnectionError, createHttpClient } from "@kintsugi/client";
import type { Clock, Random } from "@kintsugi/clock";
import { createSigningRequest } from "@kintsugi/pki";
import { awaitClusterInfo, clockWarning, type Trust, trustedAuthority } from "./discover.ts";
import { JoinRefused } from "./join-refused.ts";
import { holdsIdentity, type NodeFilesOptions, writeConfiguration, writeCredentials } from "./node-files.ts";

export interface JoinDeps {
  clock: Clock;
  random: Random;
  warn(sentence: string): void;
}

export type JoinRequest = Trust & NodeFilesOptions;

/**
 * The pods of an earlier node of the same name are deleted up to a minute and a half after its Node
 * was deleted; the join waits for this deletion.
 */
const approvalTimeoutMs = 120_000;
const pollMs = 250;

/**
 * Writes this machine's identity as a node, and the kubelet's configuration. Repeatable: on a
 * machine that has the identity already, only the configuration is written again. Does not start
 * processes.
 * @throws JoinRefused that names the fault and the remedy.
 */
export async function joinNode(deps: JoinDeps, request: JoinRequest): Promise<"joined" | "was a node already"> {
  refuseControlPlane(request.directory);
  const answer = await awaitClusterInfo(deps, request);
  const warning = clockWarning(answer.date, deps.clock.nowMs());
  if (warning !== undefined) deps.warn(warning);
  const ca = trustedAuthority(answer, request);
  if (holdsIdentity(request.directory, { ca, nodeName: request.nodeName })) {
    await writeConfiguration(request);
    return "was a node already";
  }
  await checkPort(request.kubeletPort);
  const credentials = await obtainCredentials(deps, request, ca);
  await writeConfiguration(request);
  await writeCredentials(request, { ca, ...credentials });
  return "joined";
}

/**
 * A user who may create pods is root on every node, and the authority's key would allow that user
 * to impersonate any user of the cluster.
 */
function refuseControlPlane(directory: string): void {
  const file = join(directory, "pki/ca.key");
  if (existsSync(file))
    throw new JoinRefused(
      `this machine is a control plane: the key of the cluster's authority is in ${file}, and a user who may create pods could read it on a node; join from another machine`,
    );
}

async function obtainCredentials(deps: JoinDeps, request: JoinRequest, ca: string) {
  const { server, token, nodeName, nodeIp } = request;
  const identity = { commonName: `system:node:${nodeName}`, organizations: ["system:nodes"] };
  const as = (who: { token: string } | { cert: string; key: string }) =>
    createHttpClient(deps, { server, ca, ...who, userAgent: "kintsugi-join/v0.1.0" });
  const joiner = as({ token });
  try {
    await checkName(joiner, nodeName);
    const client = await certify(deps, joiner, {
      purpose: "client",
      signerName: "kubernetes.io/kube-apiserver-client-kubelet",
      ...(await createSigningRequest(identity)),
    });
    const node = as(client);
    try {
      await register(node, request);
      const serving = await certify(deps, node, {
        purpose: "server",
        signerName: "kubernetes.io/kubelet-serving",
        ...(await createSigningRequest({ ...identity, dnsNames: [nodeName], ipAddresses: [nodeIp] })),
      });
      return { client, serving };
    } finally {
      await node.close();
    }
  } catch (error) {
    if (isApiError(error, "Unauthorized"))
      throw new JoinRefused(
        `${server} does not accept the token: it has expired, was deleted, or is not for authentication; \`kintsugi token create\` creates another token`,
        { cause: error },
      );
    if (error instanceof ConnectionError)
      throw new JoinRefused(`${error.message}: does its certificate have the name or address ${server}?`, {
        cause: error,
      });
    throw error;
  } finally {
    await joiner.close();
  }
}

/**
 * Two machines of one name would end each other's pods, and the later machine would read the
 * Secrets of the earlier machine's pods.
 */
async function checkName(client: Client, nodeName: string): Promise<void> {
  const node = await client.find(nodes, { namespace: "", name: nodeName });
  if (node === undefined || !node.status?.nodeInfo?.kubeletVersion) return;
  const state = isConditionTrue(node.status.conditions, "Ready") ? "is Ready" : "is not Ready";
  const address = node.status.addresses?.find(({ type }) => type === "InternalIP")?.address ?? "an unknown address";
  throw new JoinRefused(
    `a node "${nodeName}" already exists, which ${state}, at ${address}: join under another --node-name; or, to replace it, stop its kubelet, delete it (kubectl delete node ${nodeName}), and join again`,
  );
}

/**
 * Serving certificates are signed only for addresses that the Node has, and the kubelet, which
 * reports the addresses, cannot serve without a certificate. The Node is therefore created before
 * its kubelet starts. Repeatable, as long as no kubelet has reported the Node's status.
 */
async function register(client: Client, { nodeName, nodeIp, podCidr }: NodeFilesOptions): Promise<void> {
  const addresses = [{ type: "InternalIP" as const, address: nodeIp }];
  const spec = podCidr === undefined ? {} : { spec: { podCIDR: podCidr, podCIDRs: [podCidr] } };
  try {
    await client.create(nodes, { metadata: { name: nodeName }, ...spec, status: { addresses } });
  } catch (error) {
    if (!isApiError(error, "AlreadyExists")) throw error;
    const body = { status: { addresses } };
    await client.patch(nodes, { namespace: "", name: nodeName }, { type: "merge", body }, { subresource: "status" });
  }
}

interface Wanted {
  purpose: "client" | "server";
  signerName: string;
  /** PEM. */
  request: string;
  key: string;
}

async function certify(deps: JoinDeps, client: Client, wanted: Wanted): Promise<{ cert: string; key: string }> {
  const name = `node-csr-${deps.random.uuid()}`;
  const object: CertificateSigningRequest = {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name },
    spec: {
      request: Buffer.from(wanted.request).toString("base64"),
      signerName: wanted.signerName,
      usages: ["digital signature", `${wanted.purpose} auth`],
    },
  };
  await client.create(certificateSigningRequests, object);
  const untilMs = deps.clock.monotonicMs() + approvalTimeoutMs;
  for (;;) {
    const { status } = await client.get(certificateSigningRequests, { namespace: "", name });
    if (status?.certificate)
      return { cert: Buffer.from(status.certificate, "base64").toString("utf8"), key: wanted.key };
    const refused = status?.conditions?.find(({ type }) => type === "Denied" || type === "Failed");
    if (refused)
      throw new JoinRefused(`the certificate was rejected: ${refused.message ?? refused.reason ?? refused.type}`);
    if (deps.clock.monotonicMs() > untilMs)
      throw new JoinRefused(
        `${name} has not been signed within ${approvalTimeoutMs / 1000} s: \`kubectl describe csr ${name}\` gives the reason; does the controller-manager have --cluster-signing-cert-file?`,
      );
    await deps.clock.sleep(pollMs);
  }
}

function checkPort(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", () =>
      reject(
        new JoinRefused(
          `port ${port} is in use: stop the process that listens there (ss -ltnp), or choose another --kubelet-port`,
        ),
      ),
    );
    probe.listen(port, () => probe.close(() => resolve()));
  });
}
