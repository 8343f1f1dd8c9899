import { createPrivateKey, createPublicKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import { hostname, networkInterfaces } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Logger, Metrics } from "@kintsugi/api";
import { loadKubeconfig } from "@kintsugi/client";
import { onAbort, systemClock, systemRandom } from "@kintsugi/clock";
import {
  followFiles,
  followServerTls,
  type Loop,
  makeDirectory,
  type MetricsRegistry,
  readServerTls,
  type ServerTls,
} from "@kintsugi/daemon";
import type { ClientCertificate } from "./aggregation/remote-caller.ts";
import { advertisedAddress } from "./identity/advertised-address.ts";
import { controlPlaneAddresses } from "./identity/control-plane-addresses.ts";
import { kubernetesServiceIp } from "./loops/kubernetes-service.ts";
import { warnOfUnnamedService } from "./identity/unnamed-service.ts";
import type { AuditConfig } from "./audit/audit-config.ts";
import { createAuditReceiver } from "./audit/audit-receiver.ts";
import { parseAuditPolicy } from "./audit/audit-policy.ts";
import { Auditor } from "./audit/auditor.ts";
import { createRotatingFile, createStandardOutput } from "./audit/rotating-file.ts";
import { AuthorityRecord } from "./identity/authority-record.ts";
import { parseTokenFile } from "./authentication/token-file.ts";
import { openAuthentication } from "./authentication/jwt/open-authentication.ts";
import { createCertificateMetrics } from "./authentication/certificate-metrics.ts";
import { openEncryption } from "./encryption/open-encryption.ts";
import type { ApiServerConfig } from "./config.ts";
import type { Handle } from "./http/api-request.ts";
import { type ApiServer, createApiServer } from "./factory.ts";
import { openStorage } from "./storage/open-storage.ts";
import { defaultPodSecurity, type ServerOptions } from "./server-options.ts";
import type { TokenOptions } from "./service-accounts/service-account-tokens.ts";
import type { KubeletDialer } from "./kubelet/kubelet-dialer.ts";
import { createBackendHttpDialer } from "./proxy/backend-http-dialer.ts";
import { readAdmissionConfiguration } from "./admission/pod-security/admission-configuration.ts";
import { createWebhookHttpsTransport } from "./admission/webhooks/webhook-https-transport.ts";
import { createKubeletTlsDialer, refusedAddresses } from "./kubelet/kubelet-tls-dialer.ts";
import { type BusConnection, openBus } from "./bus/open-bus.ts";
import { readDashboardFiles } from "./dashboard/read-dashboard-files.ts";
import { createFileTimelineLog } from "./timeline/file-timeline-log.ts";
import { ConnectionGuard } from "./transport/connections/connection-guard.ts";
import { connectionLimits, shareDescriptors } from "./transport/connections/connection-limits.ts";
import { openFilesMax } from "./transport/connections/open-files-limit.ts";
import { listenTls, type TlsServer } from "./transport/tls-server.ts";

/** Builds the real adapters around the server and returns the loops to run. */
export async function startApiServer(
  config: ApiServerConfig,
  deps: { log: Logger; metrics: MetricsRegistry },
): Promise<readonly Loop[]> {
  const { log, metrics } = deps;
  const { connectionsMax, dialsMax } = shareDescriptors(openFilesMax());
  // The store holds every Secret of the cluster, so only its owner may read it.
  await makeDirectory(config.dataDir, { flag: "--data-dir", mode: 0o700 });
  const advertised = advertisedIn(config, log);
  const options = await completeOptions(config, { log, advertised });
  const serving = await openServing(config, { log, advertised });
  const encryption = await openEncryption(config, { log, metrics });
  const storage = await openStorage(config, { log, metrics, values: encryption?.values, writer: hostname() });
  await serving.note();
  const auditor = await openAuditor(config.audit, { log, metrics });
  const serviceAccountTokens = await openTokens(config);
  const kubelets = await openKubeletDialer(config, { log, dialsMax });
  const frontProxy = await openFrontProxy(config, log);
  const bus: BusConnection | undefined = await openBus(config, { log, historyId: storage.store.historyId });
  const server = createApiServer(
    {
      store: storage.store,
      clock: systemClock,
      random: systemRandom,
      log,
      metrics,
      exposition: metrics,
      storageBytes: () => storage.bytes(),
      amongServers: config.etcd && { hostname: hostname() },
      timelineLog: createFileTimelineLog(join(config.dataDir, "timeline.jsonl")),
      ...(serviceAccountTokens === undefined ? {} : { serviceAccountTokens }),
      ...(kubelets === undefined ? {} : { kubeletDialer: kubelets.dialer }),
      webhookTransport: createWebhookHttpsTransport({ refused: refusedAddresses(ownAddresses(config, advertised)) }),
      auditor,
      storedValues: encryption?.values,
      staticTokens: await openTokenFile(config.tokenFile),
      ...(await openAuthentication(config, log)),
      backendDialer: createBackendHttpDialer({ ownAddresses: ownAddresses(config, advertised) }),
      ...(frontProxy === undefined ? {} : { frontProxy: frontProxy.identity }),
      ...(await openViews(config, log)),
      ...(bus === undefined ? {} : { changePublisher: bus.publisher, busCredentials: bus.issuer }),
    },
    options,
  );
  return [
    ...(bus === undefined ? [] : [bus]),
    ...(encryption?.follow(() => storage.store.revision()) ?? []),
    ...[kubelets, frontProxy].flatMap((followed) => (followed === undefined ? [] : [followed.follow])),
    serving.follow,
    {
      name: "api-server",
      run: async (signal) => {
        const stop = endingAfter(server, { signal, delayMs: config.shutdownDelayMs });
        const running = server.run(stop.signal);
        try {
          // Every request would be forbidden without the first roles. A client that cannot connect
          // retries much earlier.
          await Promise.race([server.ready, running]);
          await serving.listen(server.handle, { metrics, connectionsMax });
          await running;
        } finally {
          // The loops have to end before the store does, even where the server cannot listen.
          stop.abort();
          await running.catch(() => {});
          await serving.close();
          await auditor?.close();
          await storage.store.close();
        }
      },
    },
  ];
}

async function completeOptions(
  config: ApiServerConfig,
  { log, advertised }: { log: Logger; advertised: ServerOptions["advertised"] },
): Promise<Partial<ServerOptions>> {
  return {
    ...config,
    advertised,
    reservedAddresses: controlPlaneAddresses({ ...config, ofMachine: () => machineAddresses(log) }),
    podSecurity: await openPodSecurity(config),
    extensionAuthentication: await extensionAuthentication(config),
  };
}

/** Ends the server after load balancers have had the time to detect that it is not ready. */
function endingAfter(
  server: Pick<ApiServer, "leave">,
  { signal, delayMs }: { signal: AbortSignal; delayMs: number },
): AbortController {
  const stop = new AbortController();
  const leave = () => {
    server.leave();
    if (delayMs > 0) systemClock.after(delayMs, () => stop.abort());
    else stop.abort();
  };
  if (signal.aborted) leave();
  else onAbort(signal, leave);
  return stop;
}

async function openPodSecurity({
  admissionControlConfigFile: file,
}: ApiServerConfig): Promise<ServerOptions["podSecurity"]> {
  const read = file === undefined ? undefined : await readAdmissionConfiguration(file);
  return read ?? defaultPodSecurity;
}

function advertisedIn(
  { advertiseAddress: asked, bindAddresses, securePort: port }: ApiServerConfig,
  log: Logger,
): ServerOptions["advertised"] {
  const address = advertisedAddress({ asked, bindAddresses, ofMachine: () => machineAddresses(log) });
  return address === undefined ? undefined : { address, port };
}

function machineAddresses(log: Logger) {
  try {
    return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  } catch (error) {
    log.warn(
      "cannot list the addresses of this machine: set --advertise-address to the address at which pods reach this server",
      {
        error,
      },
    );
    return [];
  }
}

/**
 * OpenTelemetry's packages are loaded only where tracing is on, so that other servers do not wait
 * for them.
 */
async function openTraces({ tracesEndpoint: endpoint, clusterName }: ApiServerConfig) {
  if (endpoint === undefined) return undefined;
  const { createOtlpTraceSink } = await import("./traces/otlp-trace-sink.ts");
  return createOtlpTraceSink({ endpoint, clusterName });
}

/** The outputs that show recoveries to people. */
async function openViews(config: ApiServerConfig, log: Logger) {
  return { dashboard: await openDashboard(config, log), traceSink: await openTraces(config) };
}

/** The page, from the flag's directory, or from its directory in an installation of the server. */
async function openDashboard({ dashboardDirectory, clusterName, profile }: ApiServerConfig, log: Logger) {
  const here = fileURLToPath(new URL(".", import.meta.url));
  const places = [join(here, "dashboard"), join(here, "../../dashboard/bundle")];
  const files = await readDashboardFiles(dashboardDirectory === undefined ? places : [dashboardDirectory]);
  if (files === undefined) log.warn("no dashboard is installed: --dashboard-dir names its directory");
  return files && { files, clusterName, profile };
}

/**
 * The listening addresses, with a certificate that is read again when its files change.
 * @throws Error when the data directory and its clients belong to different clusters.
 */
async function openServing(
  config: ApiServerConfig,
  { log, advertised }: { log: Logger; advertised: ServerOptions["advertised"] },
) {
  const files = { certFile: config.tlsCertFile, keyFile: config.tlsPrivateKeyFile, clientCaFile: config.clientCaFile };
  const initial = await readServerTls(files);
  const authorities = new AuthorityRecord(config.dataDir);
  await authorities.check(initial.ca);
  const serviceIp = kubernetesServiceIp(config.serviceClusterIpRange);
  const warnPods = ({ cert }: ServerTls) => {
    // No Service directs pods here unless an address is advertised.
    if (advertised !== undefined) warnOfUnnamedService(cert, { serviceIp, log });
  };
  warnPods(initial);
  const listeners: TlsServer[] = [];
  const closing: AsyncDisposable[] = [];
  const note = ({ ca }: ServerTls = initial) =>
    authorities.note(ca).catch((error: unknown) => log.warn("authorities not recorded", { error }));
  let current = initial;
  const onApplied = (next: ServerTls) => {
    current = next;
    warnPods(next);
    void note(next);
  };
  return {
    note,
    follow: followServerTls({ clock: systemClock, log }, { files, initial, servers: () => listeners, onApplied }),
    listen: async (handle: Handle, { metrics, connectionsMax }: { metrics: Metrics; connectionsMax: number }) => {
      const { bindAddresses, securePort: port, streamsPerConnectionMax } = config;
      if (config.httpWorkers > 0) {
        // A server without workers does not load node:cluster.
        const { startHttpWorkers } = await import("./transport/workers/http-workers.ts");
        const deps = { handle, clock: systemClock, log, metrics, currentTls: () => current };
        const programFolder = fileURLToPath(new URL(".", import.meta.url));
        const options = { bindAddresses, port, streamsPerConnectionMax, connectionsMax, programFolder };
        closing.push(await startHttpWorkers(deps, { ...options, ...files, count: config.httpWorkers }));
        return;
      }
      const certificateSeen = createCertificateMetrics(metrics);
      const guard = new ConnectionGuard({ clock: systemClock, metrics }, connectionLimits({ connectionsMax }));
      const deps = { handle, clock: systemClock, log, certificateSeen, guard };
      for (const bindAddress of bindAddresses) {
        const listener = await listenTls(deps, { bindAddress, port, tls: initial, streamsPerConnectionMax });
        listeners.push(listener);
        closing.push(listener);
      }
    },
    close: () => Promise.all(closing.map((each) => each[Symbol.asyncDispose]())),
  };
}

/** Addresses at which this server itself is reached. */
function ownAddresses({ bindAddresses }: ApiServerConfig, advertised: ServerOptions["advertised"]): string[] {
  return [...bindAddresses, ...(advertised === undefined ? [] : [advertised.address])];
}

/** @throws Error when a line of the file is invalid. */
async function openTokenFile(file: string | undefined) {
  return file === undefined ? undefined : parseTokenFile(await readFile(file, "utf8"), file);
}

/** @throws InvalidFile when the policy has faults. */
async function openAuditor(
  config: AuditConfig | undefined,
  { log, metrics }: { log: Logger; metrics: MetricsRegistry },
): Promise<Auditor | undefined> {
  if (config === undefined) return undefined;
  const { policyFile, log: place, webhook } = config;
  const policy = parseAuditPolicy(await readFile(policyFile, "utf8"), policyFile);
  const file =
    place &&
    (place.path === "-"
      ? createStandardOutput(process.stdout)
      : createRotatingFile(place.path, { clock: systemClock, log }, place.rotation));
  return new Auditor(
    {
      clock: systemClock,
      random: systemRandom,
      log,
      metrics,
      ...(file === undefined ? {} : { file }),
      ...(webhook === undefined ? {} : { receiver: createAuditReceiver(loadKubeconfig(webhook.configFile)) }),
    },
    { policy, ...(place === undefined ? {} : { log: place }), ...(webhook === undefined ? {} : { webhook }) },
  );
}

async function openTokens({ serviceAccounts }: ApiServerConfig): Promise<TokenOptions | undefined> {
  if (serviceAccounts === undefined) return undefined;
  const { signingKeyFile, keyFiles, issuer, audiences, keysUri } = serviceAccounts;
  const signingKey = createPrivateKey(await readFile(signingKeyFile));
  // A file with a private key contains the public key.
  const keys = await Promise.all(keyFiles.map(async (file) => createPublicKey(await readFile(file))));
  return { signingKey, keys, issuer, audiences, keysUri };
}

/** The client certificate for other API servers, which is read again when its file changes. */
async function openFrontProxy(
  { frontProxy }: ApiServerConfig,
  log: Logger,
): Promise<{ identity: () => ClientCertificate; follow: Loop } | undefined> {
  if (frontProxy === undefined) return undefined;
  const { certFile, keyFile, caFile } = frontProxy;
  const read = () => readServerTls({ certFile, keyFile, clientCaFile: caFile });
  const initial = await read();
  let current = initial;
  const follow = followFiles(
    { clock: systemClock, log },
    {
      what: "front proxy client certificate",
      files: [certFile, keyFile, caFile],
      initial,
      read,
      apply: (next) => (current = next),
    },
  );
  return { identity: () => ({ cert: current.cert, key: current.key }), follow };
}

/** The authorities that other API servers read from the cluster. */
async function extensionAuthentication({
  clientCaFile,
  frontProxy,
}: ApiServerConfig): Promise<ServerOptions["extensionAuthentication"]> {
  const clientCa = await readFile(clientCaFile, "utf8");
  if (frontProxy === undefined) return { clientCa, requestHeader: undefined };
  const { caFile, allowedNames } = frontProxy;
  return { clientCa, requestHeader: { ca: await readFile(caFile, "utf8"), allowedNames } };
}

/** Connects to kubelets with a certificate that is read again when its file changes. */
async function openKubeletDialer(
  config: ApiServerConfig,
  { log, dialsMax }: { log: Logger; dialsMax: number },
): Promise<{ dialer: KubeletDialer; follow: Loop } | undefined> {
  if (config.kubelet === undefined) return undefined;
  const { certFile, keyFile, caFile } = config.kubelet;
  const read = () => readServerTls({ certFile, keyFile, clientCaFile: caFile });
  const initial = await read();
  let credentials = initial;
  const follow = followFiles(
    { clock: systemClock, log },
    {
      what: "kubelet client certificate",
      files: [certFile, keyFile, caFile],
      initial,
      read,
      apply: (next) => (credentials = next),
    },
  );
  return {
    dialer: createKubeletTlsDialer({
      credentials: () => credentials,
      ownAddresses: config.bindAddresses,
      dialsMax,
    }),
    follow,
  };
}
