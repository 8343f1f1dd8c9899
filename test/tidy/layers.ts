import { posix } from "node:path";
import { importsOf, type SourceFile } from "./source-files.ts";

// The architecture as a table: the workspaces that each workspace may import. Arrows point down
// only.
//
//   apps → packages → clock, api
//
// apps/simulator, apps/hollow, apps/playground and test/ are the only in-process composition roots:
// they import each app's factory.
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  "packages/clock": [],
  "packages/api": [],
  "packages/yaml-text": [],
  "packages/pki": ["clock"],
  "packages/store": ["clock"],
  "packages/streaming": [],
  "packages/cri": ["api", "clock", "streaming"],
  "packages/csi": ["clock", "cri"],
  "packages/dra": ["clock", "cri", "csi"],
  "packages/etcd": ["api", "clock", "cri", "store"],
  "packages/cloud": ["clock"],
  "packages/daemon": ["api", "clock", "yaml-text"],
  "packages/dns": ["api", "clock", "daemon"],
  "packages/watch-stream": ["api", "clock"],
  "packages/rules": ["api", "clock"],
  "packages/scheduling": ["api", "rules"],
  "packages/explanation": ["api", "rules", "scheduling"],
  "packages/story": ["api"],
  "packages/cel": ["api"],
  "packages/structural-schemas": ["api", "cel"],
  "packages/client": ["api", "clock"],
  "packages/rebalance": ["api", "client", "rules", "scheduling"],
  "packages/controller": ["api", "client", "clock", "daemon"],
  "packages/lab": ["api", "client", "clock", "daemon", "dns", "watch-stream", "pki"],
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
    "watch-stream",
    "pki",
    "rebalance",
    "rules",
  ],
  "apps/kubelet": [
    "api",
    "client",
    "clock",
    "cri",
    "csi",
    "daemon",
    "dns",
    "dra",
    "rules",
    "streaming",
    "watch-stream",
  ],
  "apps/proxy": ["api", "client", "clock", "controller", "daemon", "dns", "watch-stream"],
  "apps/ingress-controller": ["api", "client", "clock", "controller", "daemon", "pki"],
  "apps/csi-lab": ["api", "clock", "csi", "daemon", "lab"],
  "apps/device-lab": ["api", "client", "clock", "csi", "daemon", "dra", "lab"],
  "apps/csi-controller": ["api", "client", "clock", "controller", "csi", "daemon", "rules"],
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
  "apps/playground": ["clock", "simulation", "simulator", "story"],
  "apps/hollow": ["api", "client", "clock", "cri", "daemon", "simulation", "kubelet"],
  "apps/simulator": [
    "api",
    "client",
    "clock",
    "cri",
    "csi",
    "daemon",
    "dra",
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

/**
 * A room: a folder below src, or one file there. Several in one row import each other, and are
 * still to be put in an order.
 */
export type Floor = string | readonly string[];

// The floors of a workspace: its rooms from the ground up. A room may import what stands before it,
// types too.
//
//   src/*.ts          the roof: programs and wiring; imports everything, and no room imports it
//   server            ▲
//   …                 │ may import what is below
//   machine/kernel    │
//   base              the ground: imports no room
export const floors: Readonly<Record<string, readonly Floor[]>> = {
  "packages/client": [
    "informer/informer.ts",
    "client.ts",
    "discovery",
    "informer",
    "events",
    "rest",
    "http",
    "in-process",
    "kubeconfig",
  ],
  "packages/explanation": [
    "explanation.ts",
    "world.ts",
    "words",
    "others/claim.ts",
    "others/budget.ts",
    "node/health.ts",
    "pod",
    "node",
    "workloads",
    "others",
    "text",
  ],
  "packages/cloud": [
    "cloud-error.ts",
    "cloud-provider.ts",
    "faults.ts",
    "record",
    "transport",
    "containers",
    "libvirt",
  ],
  "apps/cloud-controller-manager": ["context.ts", "nodes", "services", "routes"],
  "apps/cloud-lab": ["host", "balancing"],
  "apps/cluster-autoscaler": ["model", "plan"],
  "packages/controller": [
    "reconciler.ts",
    "run-together.ts",
    "expectations.ts",
    "queue",
    "owners",
    "events",
    "leader-election",
    "declare",
    "run-led-controllers.ts",
  ],
  "packages/cri": ["container-runtime.ts", "proto", "wire", "grpc"],
  "packages/etcd": [
    "etcd-version.ts",
    "etcd-proto.ts",
    "layout.ts",
    "etcd-room.ts",
    "etcd-metrics.ts",
    "etcd-client.ts",
    "etcd-log.ts",
  ],
  "packages/csi": ["csi-error.ts", "messages.ts", "csi-driver.ts", "names.ts", "proto", "grpc", "cloud"],
  "packages/dra": ["device-driver.ts", "proto", "grpc"],
  "packages/daemon": ["run-until-signal.ts", "tls", "metrics", "listen.ts", "health-server.ts", "config"],
  "packages/rules": ["testing", "volumes", "quota"],
  "packages/scheduling": [
    "devices/allocator",
    "devices",
    "cluster-state",
    "framework",
    "plugins",
    "decision",
    "preemption",
    "default-plugins.ts",
  ],
  "packages/simulation": [
    // Chance, time and single values.
    "dice.ts",
    "trace.ts",
    "reading.ts",
    "read-once.ts",
    "calm.ts",
    // The world around the services.
    "process",
    "invariants/observed/seen-request.ts",
    "network",
    "disk",
    "instruments",
    "history",
    "scenario/scenario.ts",
    "workloads",
    "faults/call-faults.ts",
    "cluster.ts",
    // Bad luck, and the life that it comes into.
    "faults",
    "scenario",
    // Promises that a life is held against.
    "invariants",
    "liveness",
    // Reports of a life.
    "timeline",
    "first-change.ts",
    "recorder",
    "comparison",
    "shrink",
  ],
  "packages/story": [
    "bar.ts",
    "lane.ts",
    "owners.ts",
    "causes.ts",
    "replacements.ts",
    "downtime.ts",
    "story.ts",
    "perfetto",
    "recording",
  ],
  "packages/cel": [
    "meter.ts",
    "expr.ts",
    "optional-syntax.ts",
    "macros.ts",
    "rewrite.ts",
    "library",
    "check",
    "expression.ts",
  ],
  "packages/structural-schemas": ["json.ts", "schema-parts.ts", "open-fields.ts", "values", "paths", "rules", "checks"],
  "packages/store": [
    "object-key.ts",
    "store.ts",
    "stored-values.ts",
    "state",
    "commit",
    "event-log.ts",
    "disk",
    "log",
    "store-options.ts",
    "replicated",
    "level",
    "snapshot",
  ],
  "packages/streaming": ["spdy", "websocket", "upgrade"],
  "packages/watch-stream": [
    "subjects.ts",
    "identity",
    "bus.ts",
    "envelope.ts",
    "marks-listener.ts",
    "bus-change-stream.ts",
    "nats",
  ],
  "apps/api-server": [
    // Values, and the rights of a caller.
    "json.ts",
    "json-value.ts",
    "cel-of-json.ts",
    "admission-plugins.ts",
    "server-options.ts",
    "metrics",
    "authorization",
    // A message, and the objects that it is about.
    "http/bodies",
    "protobuf",
    "cbor",
    "http",
    "table",
    "resources",
    "encryption",
    "storage",
    "kubelet",
    "request",
    "audit",
    "flow-control",
    "built-in-route.ts",
    "authentication",
    "service-accounts",
    // The parts of a write and of an answer.
    "fields",
    "patch",
    "apply",
    "quota",
    "admission",
    "answers",
    "watch",
    "server-context.ts",
    "writes",
    "verbs",
    // Requests that are passed on to nodes, pods and Services, and resources that are not stored.
    "proxy",
    "reviews",
    "subresources",
    "discovery",
    "openapi",
    "dashboard",
    "timeline",
    "traces",
    "usage",
    "snapshot",
    "bus",
    "health",
    // Work that no request causes.
    "bootstrap",
    "custom-resources",
    "aggregation",
    "loops",
    // The way of a request through all of these.
    "handler",
    "transport",
    // The names and addresses of this server, and the cluster that its data belongs to.
    "identity",
  ],
  "apps/controller-manager": [
    "shared/roles",
    "shared/scale",
    "shared/disruption-budgets",
    "context.ts",
    "shared",
    "controllers",
    "controllers.ts",
    "controller-options.ts",
    "config.ts",
  ],
  "apps/proxy": [
    "run-program.ts",
    "conntrack",
    "ruleset",
    "nft",
    "plan",
    "health/service-health.ts",
    "own-node.ts",
    "proxy-metrics.ts",
    "rules-keeper.ts",
    "policies",
    "trigger-times.ts",
    "proxy.ts",
    "health",
    "names",
  ],
  "apps/csi-controller": [
    "capabilities.ts",
    "context.ts",
    "finalizers.ts",
    "rpc-text.ts",
    "snapshot-keys.ts",
    "secrets.ts",
    "call-metrics.ts",
    "served-kinds.ts",
    "provisioner",
    "attacher",
    "resizer",
    "modifier",
    "capacity",
    "snapshots",
  ],
  "apps/ingress-controller": ["plan", "gateway.ts", "haproxy", "ingress-metrics.ts", "plan-ingress-status.ts"],
  "apps/csi-lab": ["host", "node"],
  "apps/simulator": ["cluster", "load", "servers", "run", "scenarios", "seeds"],
  "apps/hollow": ["copies", "node", "fleet.ts", "config.ts"],
  "apps/cli": [
    "config.ts",
    "output",
    "base",
    "explain",
    "drain",
    "rebalance",
    "images",
    "topology",
    "dashboard",
    "timeline",
    "servers",
    "commands",
    "lifecycle",
    "demo",
    "cloud",
  ],
  "apps/dashboard": ["model", "drawing", "data", "terminal", "state", "views"],
  "apps/kubelet": [
    "base",
    "machine/files",
    "machine/kernel",
    "model",
    "plugins",
    "runtime/observation",
    "runtime/logs",
    "containers/cgroups",
    "containers/environment",
    "containers/volumes",
    "containers/devices",
    "containers/config",
    "containers/images",
    "pods/admission",
    "pods/plan",
    "pods/status",
    "pods/probes",
    "pods/work",
    "pods/static",
    "node/stats",
    "node/cleanup",
    "node/eviction",
    "node/registration",
    "server",
  ],
  "apps/scheduler": ["devices", "queue", "binding", "preemption"],
  "packages/api": [
    "features",
    "values",
    "schema",
    "meta",
    "errors",
    "parsing",
    "table",
    "validation",
    "kinds",
    "snapshots",
    "paths.ts",
    "ports",
    "watch",
    "nodes-max.ts",
    "profiles.ts",
    "timeline",
  ],
  "packages/lab": [
    "cluster",
    "host",
    "images",
    "network",
    "components",
    "containerd",
    "supervisor",
    "machine",
    "operations",
    "join",
    "compose",
  ],
};

/**
 * Doors of apps that hold data and no code, and the workspaces that may import them besides test/
 * and apps/simulator.
 */
const dataDoors: Readonly<Record<string, readonly string[]>> = {
  // The bootstrap policy is made of the rules that stand beside each controller.
  "controller-manager/roles": ["apps/api-server"],
  // `kintsugi doctor` knows which etcd is too old, and has no client of etcd.
  "etcd/version": ["apps/cli"],
};

/**
 * The files behind a data door, and their allowed imports besides one another: an importer must not
 * get an app's code with them.
 */
const behindDataDoor = {
  files: /^apps\/controller-manager\/src\/(roles|shared\/roles\/[\w-]+|controllers\/[\w-]+\/role)\.ts$/,
  mayImport: ["@kintsugi/api"],
};

/** Workspaces that web pages use too. */
const inBrowsers: ReadonlySet<string> = new Set([
  "packages/api",
  "packages/rules",
  "packages/scheduling",
  "packages/explanation",
  "packages/story",
  "apps/dashboard",
]);

/** Third-party clients that live behind one folder each. */
const behindFolder: Readonly<Record<string, readonly string[]>> = {
  level: ["packages/store/src/level/", "packages/store/bench/"],
  "classic-level": ["packages/store/src/level/"],
  nats: ["packages/watch-stream/src/"],
  "nkeys.js": ["packages/watch-stream/src/"],
  "@grpc/grpc-js": ["packages/cri/src/", "packages/csi/src/", "packages/etcd/src/", "apps/kubelet/src/pods/probes/"],
  fastify: ["apps/api-server/src/transport/"],
  pino: ["packages/daemon/src/"],
  ws: ["packages/streaming/src/"],
  "dns-packet": ["packages/dns/src/"],
  "@peculiar/x509": ["packages/pki/src/"],
  "prom-client": ["packages/daemon/src/"],
  re2js: ["packages/structural-schemas/src/values/", "packages/cel/src/library/"],
  "@noble/ciphers/salsa.js": ["apps/api-server/src/encryption/"],
  "@bufbuild/cel": ["packages/cel/src/"],
  "@opentelemetry/api": ["apps/api-server/src/traces/"],
  "@opentelemetry/exporter-trace-otlp-http": ["apps/api-server/src/traces/"],
  "@opentelemetry/resources": ["apps/api-server/src/traces/"],
  "@opentelemetry/sdk-trace": ["apps/api-server/src/traces/"],
};

/**
 * Workspaces that are made of test doubles: the simulator and hollow nodes run the real services
 * over them.
 */
const worldsOfDoubles = ["packages/simulation/", "apps/simulator/", "apps/hollow/"];
/** Apps that compose other apps in one process. */
const composingApps: ReadonlySet<string> = new Set(["apps/simulator", "apps/hollow", "apps/playground"]);

/** Reports whether a file may use test doubles. */
function isTest(path: string): boolean {
  return (
    worldsOfDoubles.some((workspace) => path.startsWith(workspace)) ||
    path.endsWith(".test.ts") ||
    path.includes("/testing/") ||
    path.includes("/bench/") ||
    path.startsWith("test/")
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
  if (behindDataDoor.files.test(path)) {
    const target = specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : specifier;
    if (!behindDataDoor.files.test(target) && !behindDataDoor.mayImport.includes(target))
      return "what is behind a door for data imports data only";
  }
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
  if (own) return brokenInternalRule(path, workspace, { name: own[1] ?? "", door: own[2] });
  if (inBrowsers.has(workspace) && specifier.startsWith("node:") && !isTest(path))
    return `${workspace} runs in browsers`;
  const folders = behindFolder[specifier];
  if (folders && !isTest(path) && !folders.some((folder) => path.startsWith(folder))) return `only ${folders[0]} may`;
  return undefined;
}

function brokenInternalRule(
  path: string,
  workspace: string,
  target: { name: string; door: string | undefined },
): string | undefined {
  if (target.door?.startsWith("testing") && !isTest(path)) return "production code never imports test doubles";
  if (target.door === "factory" && composingApps.has(workspace)) return undefined;
  if (target.door === "factory")
    return "only test/, apps/simulator, apps/hollow and apps/playground import an app's factory";
  const importers = dataDoors[`${target.name}/${target.door}`];
  if (importers !== undefined)
    return importers.includes(workspace) || isTest(path) ? undefined : `only ${importers.join(", ")} may`;
  if (target.door !== undefined && !target.door.startsWith("testing"))
    return "only the doors in the exports map are open";
  const allowed = mayImport[workspace];
  if (!allowed) return `${workspace} has no row in the table of layers`;
  if (allowed.includes(target.name) || `packages/${target.name}` === workspace) return undefined;
  return `${workspace} may import ${allowed.join(", ") || "nothing of ours"}`;
}
