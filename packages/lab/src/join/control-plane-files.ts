import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ProfileName } from "@kintsugi/api";
import type { CertificateRequest, PkiDeps } from "@kintsugi/pki";
import { natsServerConfig, trustOf } from "@kintsugi/watch-stream";
import { stringify } from "yaml";
import { ensureSeeds } from "../components/bus-files.ts";
import { writeWhole } from "@kintsugi/daemon";
import { controlPlaneRequests, withApiNames } from "../components/certificate-requests.ts";
import {
  ensureCertificates,
  ensureFrontProxy,
  ensureServiceAccountKey,
  identityKubeconfig,
} from "../components/cluster-pki.ts";
import { identityFiles } from "../components/identity-files.ts";
import { ensureServerIdentities } from "../components/server-pki.ts";
import { etcdConfiguration, etcdDirectory, etcdFields, natsRouting, nearestFirst } from "./server-files.ts";
import { controlPorts } from "../components/components.ts";

export interface ControlPlaneOptions {
  /** "/etc/kintsugi": contains configuration files, and certificates and keys in pki/. */
  readonly directory: string;
  /** "/var/lib/kintsugi/store". */
  readonly dataDirectory: string;
  /** The address at which the other machines reach this machine. */
  readonly address: string;
  readonly apiPort: number;
  /**
   * The addresses of all machines of the control plane, which share their objects in etcd;
   * undefined if this is the only machine.
   */
  readonly servers?: readonly string[] | undefined;
  /** Additional names and addresses of the API server for its certificate. */
  readonly apiNames: readonly string[];
  readonly serviceRange: string;
  /**
   * The range from which nodes get their pod ranges; undefined if each joining node has its own
   * range.
   */
  readonly clusterCidr: string | undefined;
  readonly profile: ProfileName;
}

/**
 * Writes everything that the services of a control plane need on a machine of their own: authority,
 * certificates, bus keys, kubeconfigs, and one configuration file each. Repeatable: keys and
 * certificates that are still valid are not changed; an existing configuration file belongs to its
 * owner and is not changed either.
 */
export async function writeControlPlaneFiles(deps: PkiDeps, options: ControlPlaneOptions): Promise<void> {
  const { directory, address, apiPort } = options;
  const pki = join(directory, "pki");
  await ensureCertificates(deps, requestsFor(options), pki);
  await ensureServiceAccountKey(pki);
  await ensureFrontProxy(deps, pki);
  const { servers } = options;
  const place = servers && { address, servers };
  if (place !== undefined) {
    const own = { suffix: "", dnsNames: ["localhost"], addresses: [address, "127.0.0.1"] };
    await ensureServerIdentities(deps, [own], pki);
  }
  const seeds = await ensureSeeds(pki);
  const nats = {
    host: address,
    port: controlPorts.nats,
    ...identityFiles(pki, "nats"),
    trust: trustOf(seeds, deps.clock.nowMs()),
    ...(place && { routing: natsRouting(place, pki) }),
  };
  await writeWhole(join(directory, "nats.conf"), natsServerConfig(nats));
  for (const identity of ["admin", "scheduler", "controller-manager"]) {
    const kubeconfig = await identityKubeconfig(pki, identity, {
      name: "kintsugi",
      server: `https://${address}:${apiPort}`,
      servers: place && nearestFirst(place).map((server) => `https://${server}:${apiPort}`),
    });
    await writeWhole(join(directory, `${identity}.kubeconfig`), kubeconfig);
  }
  for (const [name, configuration] of Object.entries(configurations(options))) {
    const file = join(directory, `${name}.yaml`);
    if (!existsSync(file)) await writeWhole(file, stringify(configuration), 0o644);
  }
}

function requestsFor({ address, apiNames, serviceRange }: ControlPlaneOptions): Record<string, CertificateRequest> {
  const serviceAddress = serviceRange.replace(/\d+\/\d+$/, "1");
  return withApiNames(controlPlaneRequests({ addresses: [address], serviceAddress }), apiNames);
}

function configurations(options: ControlPlaneOptions): Record<string, Record<string, unknown>> {
  const { dataDirectory, address, servers, apiPort, serviceRange, clusterCidr, profile } = options;
  const ours = "kintsugi.dev/v1alpha1";
  const serving = (name: string) => ({
    tlsCertFile: `pki/${name}.crt`,
    tlsPrivateKeyFile: `pki/${name}.key`,
    clientCAFile: "pki/ca.crt",
    profile,
  });
  return {
    "api-server": {
      apiVersion: ours,
      kind: "ApiServerConfiguration",
      dataDir: dataDirectory,
      bindAddress: ["127.0.0.1", address],
      securePort: apiPort,
      serviceClusterIPRange: serviceRange,
      kubeletClientCertificate: "pki/api-server-kubelet-client.crt",
      kubeletClientKey: "pki/api-server-kubelet-client.key",
      kubeletCertificateAuthority: "pki/ca.crt",
      proxyClientCertFile: "pki/front-proxy-client.crt",
      proxyClientKeyFile: "pki/front-proxy-client.key",
      requestheaderClientCAFile: "pki/front-proxy-ca.crt",
      natsServer: [`tls://${address}:${controlPorts.nats}`],
      natsCAFile: "pki/ca.crt",
      natsAccountSeedFile: "pki/nats-account.seed",
      serviceAccountSigningKeyFile: "pki/sa.key",
      ...(servers && etcdFields({ address, servers }, "pki")),
      ...serving("api-server"),
    },
    ...(servers && {
      etcd: etcdConfiguration(
        { address, servers },
        { pki: join(options.directory, "pki"), dataDirectory: etcdDirectory(dataDirectory) },
      ),
    }),
    "controller-manager": {
      apiVersion: ours,
      kind: "ControllerManagerConfiguration",
      kubeconfig: "controller-manager.kubeconfig",
      rootCAFile: "pki/ca.crt",
      serviceAccountPrivateKeyFile: "pki/sa.key",
      clusterSigningCertFile: "pki/ca.crt",
      clusterSigningKeyFile: "pki/ca.key",
      bindAddress: address,
      serviceClusterIPRange: serviceRange,
      ...(clusterCidr === undefined ? {} : { allocateNodeCIDRs: true, clusterCIDR: clusterCidr }),
      ...serving("controller-manager"),
    },
    scheduler: {
      apiVersion: "kubescheduler.config.k8s.io/v1",
      kind: "KubeSchedulerConfiguration",
      clientConnection: { kubeconfig: "scheduler.kubeconfig" },
      bindAddress: address,
      ...serving("scheduler"),
    },
  };
}
