import { expect, test } from "vitest";
import type { ObjectMeta } from "../../../../meta/object-meta.ts";
import type { PodSpec } from "../spec/pod-spec.ts";
import type { Volume } from "../volumes/volume.ts";
import { podTemplateWarnings, podWarnings } from "./pod-warnings.ts";

// The cases follow upstream's pkg/api/pod/warnings_test.go, with its texts.

const container = { name: "foo", image: "busybox:1" };
const spec = (parts: Partial<PodSpec>): PodSpec => ({ containers: [container], ...parts });
const withContainer = (parts: object): PodSpec => spec({ containers: [{ ...container, ...parts }] });
const withVolume = (parts: object): PodSpec => spec({ volumes: [{ name: "Test", ...parts } as Volume] });
const projected = (...sources: object[]): PodSpec => withVolume({ projected: { sources } });
const port = (containerPort: number, parts: object = {}) => ({ containerPort, protocol: "TCP" as const, ...parts });
const preferring = (key: string, values?: string[]) => [
  { weight: 1, preference: { matchExpressions: [{ key, operator: "In" as const, ...(values && { values }) }] } },
];
const noSelector = "a null labelSelector results in matching no pod";
const fractional = 'fractional byte value "4m" is invalid, must be an integer';
const items = (...paths: string[]) => paths.map((path) => ({ key: "k", path }));
const fields = (...paths: string[]) => paths.map((path) => ({ path, fieldRef: { fieldPath: "metadata.name" } }));

type Case = [what: string, spec: PodSpec, warnings: string[]];

const ofSpec: Case[] = [
  ["a pod without mistakes", spec({ nodeSelector: { "kubernetes.io/os": "linux" } }), []],
  [
    "a deprecated label in the node selector",
    spec({ nodeSelector: { "beta.kubernetes.io/os": "linux" } }),
    ['spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead'],
  ],
  [
    "deprecated labels in required affinity",
    spec({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: "failure-domain.beta.kubernetes.io/zone", operator: "Exists" }] },
            ],
          },
        },
      },
    }),
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: failure-domain.beta.kubernetes.io/zone is deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    ],
  ],
  [
    "a deprecated label and an impossible value in preferred affinity",
    spec({
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: preferring("beta.kubernetes.io/arch", ["-1"]),
        },
      },
    }),
    [
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].key: beta.kubernetes.io/arch is deprecated since v1.14; use "kubernetes.io/arch" instead',
      "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].values[0]: -1 is invalid, a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  ],
  [
    "a spread constraint by a deprecated key and without a selector",
    spec({
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: "beta.kubernetes.io/instance-type", whenUnsatisfiable: "DoNotSchedule" },
      ],
    }),
    [
      'spec.topologySpreadConstraints[0].topologyKey: beta.kubernetes.io/instance-type is deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
      `spec.topologySpreadConstraints[0].labelSelector: ${noSelector}`,
    ],
  ],
  [
    "terms of affinity between pods without a selector",
    spec({
      affinity: {
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "zone" }] },
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: "zone" } }],
        },
      },
    }),
    [
      `spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: ${noSelector}`,
      `spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector: ${noSelector}`,
    ],
  ],
  [
    "a repeated host alias",
    spec({ hostAliases: [{ ip: "1.1.1.1" }, { ip: "1.1.1.1" }, { ip: "2.2.2.2" }] }),
    ['spec.hostAliases[1].ip: duplicate ip "1.1.1.1"'],
  ],
  [
    "repeated and empty pull secrets",
    spec({ imagePullSecrets: [{ name: "a" }, { name: "a" }, { name: "" }] }),
    ['spec.imagePullSecrets[1].name: duplicate name "a"', 'spec.imagePullSecrets[2].name: invalid empty name ""'],
  ],
  ["an overhead of a part of a byte", spec({ overhead: { memory: "4m" } }), [`spec.overhead[memory]: ${fractional}`]],
  [
    "resources of a part of a byte",
    withContainer({
      resources: {
        requests: { memory: "4m", cpu: "4m" },
        limits: { memory: "1500m", "ephemeral-storage": "4m", cpu: "100m" },
      },
    }),
    [
      'spec.containers[0].resources.limits[memory]: fractional byte value "1500m" is invalid, must be an integer',
      `spec.containers[0].resources.requests[memory]: ${fractional}`,
      `spec.containers[0].resources.limits[ephemeral-storage]: ${fractional}`,
    ],
  ],
  ["whole bytes in an odd form", withContainer({ resources: { limits: { memory: "4000m" } } }), []],
  [
    "variables that hide others",
    withContainer({
      env: [
        { name: "a", value: "a" },
        { name: "a", value: "x" },
        { name: "a", value: "$(a)" },
        { name: "a", value: "$(a)x" },
        { name: "a", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      ],
    }),
    [1, 2, 4].map(
      (i) => `spec.containers[0].env[${i}]: hides previous definition of "a", which may be dropped when using apply`,
    ),
  ],
  [
    "an address without a host port",
    withContainer({ ports: [port(80, { name: "web", hostIP: "127.0.0.1" })] }),
    [
      "spec.containers[0].ports[0]: hostIP set without hostPort: {Name:web HostPort:0 ContainerPort:80 Protocol:TCP HostIP:127.0.0.1}",
    ],
  ],
  [
    "ports that overlap",
    withContainer({
      ports: [
        port(80),
        port(80),
        port(80, { hostPort: 8080 }),
        port(80, { hostPort: 8080, hostIP: "10.0.0.1" }),
        { containerPort: 80, protocol: "UDP" },
      ],
    }),
    [
      "spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]",
      "spec.containers[0].ports[2]: overlapping port definition with spec.containers[0].ports[0]",
      "spec.containers[0].ports[2]: overlapping port definition with spec.containers[0].ports[1]",
      "spec.containers[0].ports[3]: overlapping port definition with spec.containers[0].ports[0]",
      "spec.containers[0].ports[3]: overlapping port definition with spec.containers[0].ports[1]",
      "spec.containers[0].ports[3]: dangerously ambiguous port definition with spec.containers[0].ports[2]",
    ],
  ],
  [
    "ports of the same name, not counting ordinary init containers",
    {
      initContainers: [{ ...container, name: "init", ports: [port(1, { name: "web" })] }],
      containers: [
        { ...container, ports: [port(80, { name: "web" })] },
        { ...container, name: "bar", ports: [port(81, { name: "web" })] },
      ],
    },
    [
      'spec.containers[1].ports[0]: duplicate port name "web" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]',
    ],
  ],
  [
    "a negative grace period",
    spec({ terminationGracePeriodSeconds: -1 }),
    ["spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1"],
  ],
  [
    "addresses in unusual forms",
    spec({
      dnsConfig: { nameservers: ["8.8.8.8", "2001:DB8:0:0:0:0:0:1"] },
      hostAliases: [{ ip: "::ffff:1.2.3.4" }, { ip: "2001:db8::1" }],
    }),
    [
      'spec.dnsConfig.nameservers[1]: IPv6 address "2001:DB8:0:0:0:0:0:1" should be in RFC 5952 canonical format ("2001:db8::1")',
      'spec.hostAliases[0].ip: non-standard IP address "::ffff:1.2.3.4" will be considered invalid in a future Kubernetes release: use "1.2.3.4"',
    ],
  ],
  ...(
    [
      ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
      ["gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
      ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
      ["flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"],
      ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
      ["quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"],
      ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
      ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
      ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
    ] as const
  ).map(([field, name, since]): Case => [field, withVolume({ [field]: {} }), [`spec.volumes[0].${name}: ${since}`]]),
  [
    "a claim of a part of a byte",
    withVolume({ ephemeral: { volumeClaimTemplate: { spec: { resources: { requests: { storage: "4m" } } } } } }),
    [`spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]: ${fractional}`],
  ],
  [
    "a file and a directory of the same path",
    withVolume({ configMap: { name: "foo", items: items("test/app", "test/", "testing") } }),
    ['volume "Test" (ConfigMap "foo"): overlapping paths: "test" with "test/app"'],
  ],
  [
    "a duplicate path, and a path below it",
    withVolume({ secret: { secretName: "foo", items: items("test", "test", "test/a") } }),
    [
      'volume "Test" (Secret "foo"): overlapping paths: "test" with "test"',
      'volume "Test" (Secret "foo"): overlapping paths: "test/a" with "test"',
      'volume "Test" (Secret "foo"): overlapping paths: "test/a" with "test"',
    ],
  ],
  [
    "the same path of two fields",
    withVolume({ downwardAPI: { items: fields("test", "test") } }),
    ['volume "Test" (DownwardAPI): overlapping paths: "test" with "test"'],
  ],
  [
    "sources of a projected volume in each other's way",
    projected(
      { configMap: { name: "Test", items: items("test") } },
      { serviceAccountToken: { path: "test/file" } },
      { clusterTrustBundle: { name: "Test", path: "bundle" } },
      { downwardAPI: { items: fields("bundle/a") } },
      { podCertificate: { signerName: "s", keyType: "ED25519", keyPath: "bundle" } },
    ),
    [
      'volume "Test" (Projected): overlapping paths: "test/file" (ServiceAccountToken) with "test" (ConfigMap "Test")',
      'volume "Test" (Projected): overlapping paths: "bundle/a" (DownwardAPI) with "bundle" (ClusterTrustBundle "Test")',
      'volume "Test" (Projected): overlapping paths: "bundle" (PodCertificate key) with "bundle" (ClusterTrustBundle "Test")',
      'volume "Test" (Projected): overlapping paths: "bundle" (PodCertificate key) with "bundle/a" (DownwardAPI)',
    ],
  ],
  ["a projected volume of nothing", projected({}), ['volume "Test" (Projected) has no sources provided']],
];

test.each(ofSpec)("warns of %s", (_, tested, warnings) => {
  expect(podWarnings({ metadata: { name: "pod" }, spec: tested })).toEqual(warnings);
  const inTemplate = warnings.map((text) => text.replaceAll(/(?<![\w.])spec\./g, "spec.template.spec."));
  expect(podTemplateWarnings({ spec: tested }, "spec.template")).toEqual(inTemplate);
});

const appArmor = "container.apparmor.security.beta.kubernetes.io/foo";
const seccomp = 'non-functional in v1.27+; use the "seccompProfile" field instead';
const runtimeDefault = { type: "RuntimeDefault" as const };
type Annotated = [what: string, annotations: Record<string, string>, spec: PodSpec, warnings: string[]];

const ofAnnotations: Annotated[] = [
  [
    "annotations that nothing reads",
    {
      "scheduler.alpha.kubernetes.io/critical-pod": "true",
      "security.alpha.kubernetes.io/sysctls": "a=b",
      "security.alpha.kubernetes.io/unsafe-sysctls": "a=b",
    },
    spec({}),
    [
      '[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead',
      '[security.alpha.kubernetes.io/sysctls]: non-functional in v1.11+; use the "sysctls" field instead',
      '[security.alpha.kubernetes.io/unsafe-sysctls]: non-functional in v1.11+; use the "sysctls" field instead',
    ],
  ],
  [
    "seccomp",
    {
      "seccomp.security.alpha.kubernetes.io/pod": "default",
      "container.seccomp.security.alpha.kubernetes.io/foo": "default",
      "container.seccomp.security.alpha.kubernetes.io/other": "default",
    },
    spec({}),
    [
      `[seccomp.security.alpha.kubernetes.io/pod]: ${seccomp}`,
      `[container.seccomp.security.alpha.kubernetes.io/foo]: ${seccomp}`,
    ],
  ],
  [
    "seccomp next to the field",
    {
      "seccomp.security.alpha.kubernetes.io/pod": "default",
      "container.seccomp.security.alpha.kubernetes.io/foo": "default",
    },
    spec({
      securityContext: { seccompProfile: runtimeDefault },
      containers: [{ ...container, securityContext: { seccompProfile: runtimeDefault } }],
    }),
    [],
  ],
  [
    "AppArmor",
    { [appArmor]: "unconfined" },
    spec({}),
    [`[${appArmor}]: deprecated since v1.30; use the "appArmorProfile" field instead`],
  ],
  [
    "AppArmor next to the container's field",
    { [appArmor]: "unconfined" },
    withContainer({ securityContext: { appArmorProfile: { type: "Unconfined" } } }),
    [],
  ],
  [
    "AppArmor that repeats the field of the pod",
    { [appArmor]: "runtime/default" },
    spec({ securityContext: { appArmorProfile: runtimeDefault } }),
    [],
  ],
];

test.each(ofAnnotations)("warns of %s in annotations", (_, annotations, tested, warnings) => {
  const metadata: ObjectMeta = { name: "pod", annotations };
  expect(podWarnings({ metadata, spec: tested })).toEqual(warnings.map((text) => `metadata.annotations${text}`));
  expect(podTemplateWarnings({ metadata, spec: tested }, "template")).toEqual(
    warnings.map((text) => `template.metadata.annotations${text}`),
  );
});

test("the name of a pod that is not a host name causes a warning, and a template's name does not", () => {
  const [warning, ...others] = podWarnings({ metadata: { name: "a.b" }, spec: spec({}) });
  expect(warning).toMatch(/^metadata\.name: this is used in the Pod's hostname, .*: \[a lowercase RFC 1123 label must/);
  expect(others).toEqual([]);
  expect(podTemplateWarnings({ metadata: { name: "a.b" }, spec: spec({}) }, "template")).toEqual([]);
});

test("thousands of files and ports of one name cause few warnings and take little time", () => {
  const many = Array.from({ length: 20_000 }, (_, i) => i);
  const volumes = [{ name: "v", configMap: { name: "c", items: items(...many.map(() => "a/b/c")) } }];
  const hostile = spec({ volumes, containers: [{ ...container, ports: many.map(() => port(80)) }] });
  const warnings = podWarnings({ metadata: { name: "pod" }, spec: hostile });
  expect(warnings.filter((text) => text.startsWith("volume"))).toHaveLength(64);
  expect(warnings.length).toBeLessThan(200);
});
