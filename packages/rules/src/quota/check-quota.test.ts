import {
  parseTimestamp,
  parseObject,
  podKind,
  pods,
  type ResourceQuota,
  resourceQuotaKind,
  services,
  serviceKind,
} from "@kintsugi/api";
import { persistentVolumeClaimKind, persistentVolumeClaims, resourceQuotas } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { describeAmounts } from "./amounts.ts";
import { checkQuotas } from "./check-quota.ts";
import { quotaUsageOf, withoutEnded } from "./quota-usage.ts";
import { UsageTotal } from "./usage-total.ts";

const metadata = { name: "x", namespace: "default" };
const resources = (cpu: string, limit?: string) => ({
  requests: { cpu },
  ...(limit === undefined ? {} : { limits: { cpu: limit } }),
});
const aPod = (spec: object = {}, more: object = {}) =>
  parseObject(podKind.schema, pods, { metadata, spec: { containers: [{ name: "c", image: "i" }], ...spec }, ...more });
const withResources = (each: object) => aPod({ containers: [{ name: "c", image: "i", resources: each }] });
const aService = (spec: object) => parseObject(serviceKind.schema, services, { metadata, spec });
const aClaim = (spec: object, status: object = {}) =>
  parseObject(persistentVolumeClaimKind.schema, persistentVolumeClaims, { metadata, spec, status });
const aQuota = (spec: object): ResourceQuota =>
  parseObject(resourceQuotaKind.schema, resourceQuotas, { metadata: { name: "q" }, spec });

const usageText = (type: Parameters<typeof quotaUsageOf>[0], object: Parameters<typeof quotaUsageOf>[1]) =>
  describeAmounts(quotaUsageOf(type, object).amounts);

describe("an object uses", () => {
  test.each<[string, string, string]>([
    ["a pod without requests", usageText(pods, aPod()), "count/pods=1,pods=1"],
    [
      "a pod with everything",
      usageText(
        pods,
        withResources({
          requests: { cpu: "500m", memory: "1Gi", "example.com/gpu": "2", "hugepages-2Mi": "4Mi" },
          limits: { cpu: "1", "example.com/gpu": "2", "ephemeral-storage": "1G" },
        }),
      ),
      "count/pods=1,cpu=500m,hugepages-2Mi=4Mi,limits.cpu=1,limits.ephemeral-storage=1G,memory=1Gi,pods=1,requests.cpu=500m,requests.example.com/gpu=2,requests.hugepages-2Mi=4Mi,requests.memory=1Gi",
    ],
    ["a pod that has failed", usageText(pods, aPod({}, { status: { phase: "Failed" } })), "count/pods=1"],
    [
      "a Service of node ports",
      usageText(services, aService({ type: "NodePort", ports: [{ port: 1 }, { port: 2 }] })),
      "count/services=1,services=1,services.loadbalancers=0,services.nodeports=2",
    ],
    [
      "a balanced Service without node ports except one",
      usageText(
        services,
        aService({
          type: "LoadBalancer",
          allocateLoadBalancerNodePorts: false,
          ports: [{ port: 1 }, { port: 2, nodePort: 30_001 }],
        }),
      ),
      "count/services=1,services=1,services.loadbalancers=1,services.nodeports=1",
    ],
    [
      "a claim of a class, with part of a byte",
      usageText(
        persistentVolumeClaims,
        aClaim({ storageClassName: "gold", resources: { requests: { storage: "1500m" } } }),
      ),
      "count/persistentvolumeclaims=1,gold.storageclass.storage.k8s.io/persistentvolumeclaims=1,gold.storageclass.storage.k8s.io/requests.storage=2,persistentvolumeclaims=1,requests.storage=2",
    ],
    [
      "a claim with a request to shrink while it grows",
      usageText(
        persistentVolumeClaims,
        aClaim({ resources: { requests: { storage: "1Gi" } } }, { allocatedResources: { storage: "2Gi" } }),
      ),
      "count/persistentvolumeclaims=1,persistentvolumeclaims=1,requests.storage=2Gi",
    ],
    ["a secret", usageText({ group: "", resource: "secrets" }, { metadata }), "count/secrets=1,secrets=1"],
    ["a Deployment", usageText({ group: "apps", resource: "deployments" }, { metadata }), "count/deployments.apps=1"],
  ])("%s", (_name, usage, expected) => {
    expect(usage).toBe(expected);
  });
});

test("a pod counts only as a stored object once its grace period has ended", () => {
  const pod = aPod();
  pod.metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
  pod.metadata.deletionGracePeriodSeconds = 30;
  const usage = quotaUsageOf(pods, pod);
  const endMs = parseTimestamp("2026-01-01T00:00:30Z");
  expect(describeAmounts(withoutEnded(usage, endMs).amounts)).toBe("count/pods=1,pods=1");
  expect(describeAmounts(withoutEnded(usage, endMs + 1).amounts)).toBe("count/pods=1");
});

describe("a quota of a scope counts", () => {
  const affinity = (term: object) => ({
    podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "zone", ...term }] },
  });
  const selector = (operator: string, ...values: string[]) => ({
    scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator, values }] },
  });
  const counts = (spec: object, pod: ReturnType<typeof aPod>) => {
    const total = new UsageTotal(aQuota({ hard: { pods: "1" }, ...spec }).spec ?? {});
    total.add(quotaUsageOf(pods, pod));
    return describeAmounts(total.used) === "pods=1";
  };
  const high = aPod({ priorityClassName: "high" });
  test.each<[string, object, ReturnType<typeof aPod>, boolean]>([
    ["Terminating, a pod with a deadline", { scopes: ["Terminating"] }, aPod({ activeDeadlineSeconds: 0 }), true],
    ["Terminating, a pod without a deadline", { scopes: ["Terminating"] }, aPod(), false],
    ["NotTerminating, a pod without a deadline", { scopes: ["NotTerminating"] }, aPod(), true],
    ["BestEffort, a pod without requests", { scopes: ["BestEffort"] }, aPod(), true],
    ["BestEffort, a pod with some requests", { scopes: ["BestEffort"] }, withResources(resources("1")), false],
    ["two scopes, a pod of one", { scopes: ["BestEffort", "Terminating"] }, aPod(), false],
    ["PriorityClass, a pod with a class", { scopes: ["PriorityClass"] }, high, true],
    ["In, a pod of the class", selector("In", "high"), high, true],
    ["In, a pod of another class", selector("In", "low"), high, false],
    ["NotIn, a pod of the class", selector("NotIn", "high"), high, false],
    ["NotIn, a pod without a class", selector("NotIn", "high"), aPod(), true],
    ["DoesNotExist, a pod without a class", selector("DoesNotExist"), aPod(), true],
    ["DoesNotExist, a pod with a class", selector("DoesNotExist"), high, false],
    [
      "CrossNamespacePodAffinity, a pod with terms for another namespace",
      { scopes: ["CrossNamespacePodAffinity"] },
      aPod({ affinity: affinity({ namespaceSelector: {} }) }),
      true,
    ],
    [
      "CrossNamespacePodAffinity, a pod without such terms",
      { scopes: ["CrossNamespacePodAffinity"] },
      aPod({ affinity: affinity({}) }),
      false,
    ],
  ])("%s: %#", (_name, spec, pod, expected) => {
    expect(counts(spec, pod)).toBe(expected);
  });
});

describe("a write", () => {
  const known = (spec: object, ...objects: ReturnType<typeof aPod>[]) => {
    const quota = aQuota(spec);
    const total = new UsageTotal(quota.spec ?? {});
    for (const each of objects) total.add(quotaUsageOf(pods, each));
    return { quota, used: total.used };
  };
  const create = (object: ReturnType<typeof aPod>, ...quotas: ReturnType<typeof known>[]) =>
    checkQuotas({ type: pods, object, before: undefined }, quotas);
  const half = withResources(resources("500m", "1"));

  test("that fits is allowed, to the last unit", () => {
    expect(create(half, known({ hard: { "requests.cpu": "1", pods: "2" } }, half))).toBeUndefined();
  });

  test("that does not fit is rejected in upstream's words", () => {
    expect(create(half, known({ hard: { "requests.cpu": "1", pods: "2", "limits.cpu": "5" } }, half, half))).toBe(
      "exceeded quota: q, requested: pods=1,requests.cpu=500m, used: pods=2,requests.cpu=1, limited: pods=2,requests.cpu=1",
    );
  });

  test("without values that a quota needs is rejected with their names", () => {
    const pod = aPod({ initContainers: [{ name: "a", image: "i", resources: resources("1") }] });
    expect(
      create(pod, known({ hard: { cpu: "9", "limits.cpu": "9", "requests.memory": "9", "requests.storage": "1" } })),
    ).toBe("failed quota: q: must specify cpu for: c; limits.cpu for: a,c; requests.memory for: a,c");
  });

  test("outside a quota's scope is ignored by the quota", () => {
    expect(create(half, known({ hard: { pods: "0" }, scopes: ["BestEffort"] }))).toBeUndefined();
  });

  test("is charged for its increase alone, and in full if it enters a scope", () => {
    const [small, large] = [withResources(resources("1")), withResources(resources("3"))];
    const resize = (spec: object, used: ReturnType<typeof aPod>[]) =>
      checkQuotas({ type: pods, object: large, before: small }, [known(spec, ...used)]);
    expect(resize({ hard: { cpu: "3" } }, [small])).toBeUndefined();
    expect(resize({ hard: { cpu: "2" } }, [small])).toBe(
      "exceeded quota: q, requested: cpu=2, used: cpu=1, limited: cpu=2",
    );
    const grown = checkQuotas({ type: pods, object: small, before: aPod() }, [
      known({ hard: { pods: "0" }, scopes: ["NotBestEffort"] }),
    ]);
    expect(grown).toBe("exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0");
  });

  test("that reduces usage is allowed while the namespace is over its limit", () => {
    const [small, large] = [withResources(resources("1")), withResources(resources("3"))];
    expect(
      checkQuotas({ type: pods, object: small, before: large }, [known({ hard: { cpu: "1" } }, large)]),
    ).toBeUndefined();
  });
});
