import { type ChildProcess, execFile, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type ProfileName, profiles, type TimerProfile } from "@kintsugi/api";
import { createHttpClient, kubeconfigText, loadKubeconfig, withEntry } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createAuthority, type KeyPair } from "@kintsugi/pki";
import { freePort } from "../../support/free-port.ts";
import { endWithThis, eventually } from "../../support/run-program.ts";
import { startEtcd } from "../../support/servers/etcd-process.ts";

/** The control plane of Kubernetes 1.20 with one etcd, on loopback, without nodes. */
export interface KubernetesPlane extends AsyncDisposable {
  readonly kubeconfig: string;
  /** Starts the scheduler and the controller-manager. */
  startControllers(): void;
  /** Ends the scheduler and the controller-manager with SIGKILL. */
  killControllers(): Promise<void>;
}

const programs = ["kube-apiserver", "kube-controller-manager", "kube-scheduler"] as const;
type ProgramName = (typeof programs)[number];

const secondsOf = (ms: number) => `${ms / 1000}s`;
const startPatienceMs = 60_000;
/** A rate-limited client would be measured instead of the control plane. */
const unlimited = ["--kube-api-qps=10000", "--kube-api-burst=10000"];

/**
 * Returns the folder of the three programs: the given folder, or one in the cache, where they are
 * built from Debian's source package the first time, which takes 40 minutes.
 * @throws Error with a sentence if a program is missing from the given folder or cannot be built.
 */
export async function kubernetesPrograms(given: string | undefined): Promise<string> {
  const cache = join(homedir(), ".cache/kintsugi/kubernetes-1.20");
  const folder = given ?? join(cache, "bin");
  const missing = () => programs.filter((program) => !existsSync(join(folder, program)));
  if (missing().length === 0) return folder;
  if (given !== undefined) throw new Error(`--peer ${given} has no ${missing().join(", ")}`);
  process.stderr.write(`building Kubernetes 1.20 in ${cache}, once; this takes 40 minutes ...\n`);
  await promisify(execFile)(join(import.meta.dirname, "build-kubernetes.sh"), [cache], { maxBuffer: 2 ** 26 });
  return folder;
}

/**
 * Starts the control plane.
 * @param folder The folder of the programs.
 * @param profile The timers of node failure; the other timers are Kubernetes' own.
 */
export async function startKubernetes(folder: string, profile: ProfileName): Promise<KubernetesPlane> {
  const timers = profiles[profile];
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-peer-"));
  const etcd = await startEtcd(1);
  const children: ChildProcess[] = [];
  const end = async () => {
    for (const child of children.toReversed()) await killed(child);
    await etcd[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const port = await freePort();
    const kubeconfig = await writeIdentities(directory, `https://127.0.0.1:${port}`);
    const start = (program: ProgramName, args: readonly string[]) => {
      const output = openSync(join(directory, `${program}.log`), "a");
      const child = spawn(join(folder, program), args, { cwd: directory, stdio: ["ignore", output, output] });
      closeSync(output);
      children.push(endWithThis(child));
      return child;
    };
    start("kube-apiserver", [
      ...etcd.endpoints.map((endpoint) => `--etcd-servers=http://${endpoint}`),
      `--secure-port=${port}`,
      ...apiServerFlags(timers),
    ]);
    await ready(kubeconfig, join(directory, "kube-apiserver.log"));
    const withoutServing = ["--kubeconfig=kubeconfig", "--leader-elect=false", "--port=0", "--secure-port=0"];
    let controllers: ChildProcess[] = [];
    const startControllers = () => {
      controllers = [
        start("kube-scheduler", [...withoutServing, ...unlimited]),
        start("kube-controller-manager", [...withoutServing, ...unlimited, ...controllerFlags(timers)]),
      ];
    };
    const killControllers = async () => {
      for (const child of controllers) await killed(child);
    };
    startControllers();
    return { kubeconfig, startControllers, killControllers, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}

const apiServerFlags = (timers: TimerProfile) => [
  "--insecure-port=0",
  "--bind-address=127.0.0.1",
  "--client-ca-file=authority.crt",
  "--tls-cert-file=server.crt",
  "--tls-private-key-file=server.key",
  "--service-account-key-file=tokens.pub",
  "--service-account-signing-key-file=tokens.key",
  "--service-account-issuer=https://kubernetes.default.svc",
  "--authorization-mode=Node,RBAC",
  "--service-cluster-ip-range=10.96.0.0/16",
  "--allow-privileged",
  // A pod would be rejected until a controller has made the namespace's account.
  "--disable-admission-plugins=ServiceAccount",
  `--default-not-ready-toleration-seconds=${timers.defaultTolerationSeconds}`,
  `--default-unreachable-toleration-seconds=${timers.defaultTolerationSeconds}`,
  // Limits above those of Kintsugi, whose clients are measured with 64 requests in flight.
  "--max-requests-inflight=1600",
  "--max-mutating-requests-inflight=800",
];

const controllerFlags = (timers: TimerProfile) => [
  "--service-account-private-key-file=tokens.key",
  "--root-ca-file=authority.crt",
  "--use-service-account-credentials=false",
  `--node-monitor-grace-period=${secondsOf(timers.nodeMonitorGracePeriodMs)}`,
  `--node-monitor-period=${secondsOf(timers.nodeMonitorPeriodMs)}`,
  `--node-startup-grace-period=${secondsOf(timers.nodeStartupGracePeriodMs)}`,
  `--node-eviction-rate=${timers.nodeEvictionRate}`,
];

/**
 * Writes certificates, the key of tokens and the administrator's kubeconfig. Returns the
 * kubeconfig's path.
 */
async function writeIdentities(directory: string, server: string): Promise<string> {
  const authority = await createAuthority({ clock: systemClock, random: systemRandom }, "kintsugi-peer");
  const write = (name: string, text: string) => writeFileSync(join(directory, name), text, { mode: 0o600 });
  const writePair = (name: string, { certificate, key }: KeyPair) => {
    write(`${name}.crt`, certificate);
    write(`${name}.key`, key);
  };
  write("authority.crt", authority.certificate);
  writePair(
    "server",
    await authority.issue({ commonName: "kube-apiserver", usages: ["server"], ipAddresses: ["127.0.0.1"] }),
  );
  const tokens = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  });
  write("tokens.pub", tokens.publicKey);
  write("tokens.key", tokens.privateKey);
  const { certificate: cert, key } = await authority.issue({
    commonName: "admin",
    organizations: ["system:masters"],
    usages: ["client"],
  });
  const entry = { name: "kubernetes-1.20", server, ca: authority.certificate, cert, key };
  write("kubeconfig", kubeconfigText(withEntry({}, entry)));
  return join(directory, "kubeconfig");
}

/** Waits until the API server is ready. @throws Error with the end of its log. */
async function ready(kubeconfig: string, log: string): Promise<void> {
  const client = createHttpClient(
    { clock: systemClock, random: systemRandom },
    { ...loadKubeconfig(kubeconfig), userAgent: "kintsugi-bench" },
  );
  try {
    const look = () => client.call({ method: "GET", path: "/readyz" }).then(() => true);
    await eventually("the peer's API server is ready", look, startPatienceMs);
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${readFileSync(log, "utf8").slice(-2_000)}`, { cause: error });
  } finally {
    await client.close();
  }
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}
