import { posix } from "node:path";
import { importsOf, type SourceFile } from "./source-files.ts";

// The architecture as a table: the workspaces that each workspace may import. Imports point only
// downward.
//
//   apps → packages → clock, api
//
// apps/simulator, apps/hollow, apps/playground, apps/test-server and test/ compose apps in one
// process, and import each app's factory. packages/testing imports the test server's.
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  "packages/clock": [],
  "packages/api": [],
  "packages/yaml-text": [],
  "packages/pki": ["api", "clock"],
  "packages/store": ["clock"],
  "packages/streaming": [],
  "packages/grpc": ["clock"],
  "packages/cri": ["api", "clock", "grpc", "streaming"],
  "packages/csi": ["clock", "grpc"],
  "packages/dra": ["clock", "grpc"],
  "packages/etcd": ["api", "clock", "grpc", "store"],
  "packages/cloud": ["clock"],
  "packages/daemon": ["api", "clock", "yaml-text"],
  "packages/dns": ["api", "clock", "daemon"],
  "packages/watch-stream": ["api", "clock"],
  "packages/rules": ["api", "clock"],
  "packages/scheduling": ["api", "rules"],
  "packages/explanation": ["api", "rules", "scheduling"],
  "packages/story": ["api"],
  "packages/rehearsal": ["api", "yaml-text"],
  "packages/cel": ["api"],
  "packages/structural-schemas": ["api", "cel"],
  "packages/client": ["api", "clock"],
  "packages/rebalance": ["api", "client", "rules", "scheduling"],
  "packages/controller": ["api", "client", "clock", "daemon", "watch-stream"],
  "packages/lab": ["api", "client", "clock", "daemon", "rules", "watch-stream", "pki"],
  "packages/simulation": ["api", "client", "clock", "cri", "store", "story", "watch-stream", "yaml-text"],
  "apps/api-server": [
    "api",
    "cel",
    "client",
    "clock",
    "controller",
    "pki",
    "rules",
    "store",
    "streaming",
    "structural-schemas",
    "watch-stream",
    "daemon",
    "etcd",
    "story",
    "yaml-text",
  ],
  "apps/scheduler": ["api", "cel", "client", "clock", "controller", "daemon", "rules", "scheduling", "watch-stream"],
  "apps/controller-manager": [
    "api",
    "client",
    "clock",
    "controller",
    "csi",
    "daemon",
    "pki",
    "rebalance",
    "rules",
    "watch-stream",
  ],
  "apps/kubelet": [
    "api",
    "client",
    "clock",
    "cri",
    "csi",
    "daemon",
    "dra",
    "grpc",
    "rules",
    "streaming",
    "watch-stream",
  ],
  "apps/proxy": ["api", "client", "clock", "controller", "daemon", "dns", "watch-stream"],
  "apps/ingress-controller": ["api", "client", "clock", "controller", "daemon", "pki"],
  "apps/csi-lab": ["api", "clock", "csi", "daemon", "grpc"],
  "apps/device-lab": ["api", "client", "clock", "daemon", "dra", "grpc"],
  "apps/csi-controller": ["api", "client", "clock", "controller", "csi", "daemon", "grpc", "rules"],
  "apps/cloud-controller-manager": ["api", "client", "clock", "cloud", "controller", "daemon"],
  "apps/cloud-lab": ["api", "clock", "cloud", "daemon", "lab"],
  "apps/cluster-autoscaler": ["api", "client", "clock", "cloud", "controller", "daemon", "rules", "scheduling"],
  "apps/cli": [
    "api",
    "client",
    "clock",
    "cloud",
    "daemon",
    "etcd",
    "explanation",
    "lab",
    "pki",
    "rebalance",
    "rules",
    "story",
    "streaming",
    "yaml-text",
  ],
  "apps/dashboard": ["api", "clock", "explanation", "story"],
  "apps/playground": ["clock", "rehearsal", "simulation", "simulator", "story"],
  "apps/hollow": ["api", "client", "clock", "cri", "daemon", "simulation", "streaming", "kubelet"],
  "apps/test-server": [
    "api",
    "cel",
    "client",
    "clock",
    "cloud",
    "cri",
    "daemon",
    "pki",
    "simulation",
    "store",
    "streaming",
    "yaml-text",
    "api-server",
    "cloud-controller-manager",
    "hollow",
    "simulator",
  ],
  "packages/testing": ["api", "client", "clock", "explanation", "simulation", "simulator", "test-server"],
  "apps/simulator": [
    "api",
    "client",
    "clock",
    "cri",
    "csi",
    "daemon",
    "dra",
    "rehearsal",
    "simulation",
    "store",
    "story",
    "watch-stream",
    "yaml-text",
    "api-server",
    "scheduler",
    "controller-manager",
    "csi-controller",
    "kubelet",
  ],
};

/** Entry points of a package in addition to its index, and the workspaces that may import them. */
const dataEntryPoints: Readonly<Record<string, readonly string[]>> = {
  // `kintsugi doctor` checks whether etcd is too old, without a client of etcd.
  "etcd/version": ["apps/cli"],
  // The page shows commands before it has loaded the explanations.
  "explanation/commands": ["apps/cli", "apps/dashboard"],
  "explanation/reading": ["apps/cli", "packages/testing"],
};

/** Workspaces that web pages also use. */
const inBrowsers: ReadonlySet<string> = new Set([
  "packages/api",
  "packages/rules",
  "packages/scheduling",
  "packages/explanation",
  "packages/story",
  "apps/dashboard",
]);

/** Third-party clients, each of which only one folder may import. */
const behindFolder: Readonly<Record<string, readonly string[]>> = {
  level: ["packages/store/src/level/", "packages/store/bench/"],
  "classic-level": ["packages/store/src/level/"],
  nats: ["packages/watch-stream/src/"],
  "nkeys.js": ["packages/watch-stream/src/"],
  "@grpc/grpc-js": ["packages/grpc/src/", "packages/cri/src/", "packages/etcd/src/", "apps/kubelet/src/pods/probes/"],
  fastify: ["apps/api-server/src/transport/"],
  pino: ["packages/daemon/src/"],
  ws: ["packages/streaming/src/"],
  "dns-packet": ["packages/dns/src/"],
  "@peculiar/x509": ["packages/pki/src/"],
  "prom-client": ["packages/daemon/src/"],
  re2js: ["packages/cel/src/patterns/"],
  "@noble/ciphers/salsa.js": ["apps/api-server/src/encryption/"],
  "@bufbuild/cel": ["packages/cel/src/"],
  "@opentelemetry/api": ["apps/api-server/src/traces/"],
  "@opentelemetry/exporter-trace-otlp-http": ["apps/api-server/src/traces/"],
  "@opentelemetry/resources": ["apps/api-server/src/traces/"],
  "@opentelemetry/sdk-trace": ["apps/api-server/src/traces/"],
};

/**
 * Workspaces that run the real services over simulated machines, clocks, disks and buses, which
 * packages export as `/simulated`.
 */
const simulatedWorkspaces = [
  "packages/simulation/",
  "packages/testing/",
  "apps/simulator/",
  "apps/hollow/",
  "apps/test-server/",
];
/** Apps that compose other apps in one process. */
const composingApps: ReadonlySet<string> = new Set([
  "apps/simulator",
  "apps/hollow",
  "apps/playground",
  "apps/test-server",
  "packages/testing",
]);

/** Reports whether a file runs in tests only, and may use the entry points `/testing`. */
function isTest(path: string): boolean {
  return (
    path.endsWith(".test.ts") || path.includes("/testing/") || path.includes("/bench/") || path.startsWith("test/")
  );
}

/** Reports whether a file may use the entry points `/simulated`. */
function maySimulate(path: string): boolean {
  return (
    isTest(path) || path.includes("/simulated/") || simulatedWorkspaces.some((workspace) => path.startsWith(workspace))
  );
}

/** Every import of `file` that breaks a rule, with the rule. */
export function layerViolations(file: SourceFile): string[] {
  const workspace = file.path.split("/").slice(0, 2).join("/");
  return importsOf(file.text).flatMap((specifier) => {
    const broken = brokenRule(file.path, workspace, specifier);
    return broken === undefined ? [] : [`${file.path}: imports "${specifier}": ${broken}`];
  });
}

function brokenRule(path: string, workspace: string, specifier: string): string | undefined {
  if (specifier.startsWith(".")) {
    const target = posix.join(posix.dirname(path), specifier);
    if (!target.startsWith(`${workspace}/`)) return "a relative import must stay inside its workspace";
    const [own, other] = [path, target].map(
      (file) => /^apps\/controller-manager\/src\/controllers\/([^/]+)\//.exec(file)?.[1],
    );
    if (own !== undefined && other !== undefined && own !== other && !isTest(path))
      return "a controller imports no other; what two of them need stands in src/shared";
    return undefined;
  }
  const own = specifier.match(/^@kintsugi\/([^/]+)(?:\/(.+))?$/);
  if (own) return brokenInternalRule(path, workspace, { name: own[1] ?? "", entryPoint: own[2] });
  if (inBrowsers.has(workspace) && specifier.startsWith("node:") && !isTest(path))
    return `${workspace} runs in browsers`;
  const folders = behindFolder[specifier];
  if (folders && !isTest(path) && !folders.some((folder) => path.startsWith(folder))) return `only ${folders[0]} may`;
  return undefined;
}

function brokenInternalRule(
  path: string,
  workspace: string,
  target: { name: string; entryPoint: string | undefined },
): string | undefined {
  if (target.entryPoint?.startsWith("testing") && !isTest(path)) return "only tests import the entry points for tests";
  if (target.entryPoint?.startsWith("simulated") && !maySimulate(path))
    return "a real service never imports simulated parts";
  if (target.entryPoint === "factory" && composingApps.has(workspace)) return undefined;
  if (target.entryPoint === "factory")
    return "only test/, apps/simulator, apps/hollow, apps/playground, apps/test-server and packages/testing import an app's factory";
  const importers = dataEntryPoints[`${target.name}/${target.entryPoint}`];
  if (importers !== undefined)
    return importers.includes(workspace) || isTest(path) ? undefined : `only ${importers.join(", ")} may`;
  // The entry point `program` opens the files, sockets and clock of a process, so only programs use
  // it.
  const isProgram = target.entryPoint === "program" && /^apps\/[a-z-]+\/src\/program\.ts$/.test(path);
  if (target.entryPoint !== undefined && !isProgram && !/^(?:testing|simulated)/.test(target.entryPoint))
    return "only the entry points in the exports map are open";
  const allowed = mayImport[workspace];
  if (!allowed) return `${workspace} has no row in the table of layers`;
  if (allowed.includes(target.name) || `packages/${target.name}` === workspace) return undefined;
  return `${workspace} may import ${allowed.join(", ") || "nothing of ours"}`;
}
