import { SeededRandom } from "@kintsugi/clock/simulated";
import fc from "fast-check";
import { CelGrammar, patternOf } from "./cel-grammar.ts";
import { encodings, encodeAs } from "./encode-as.ts";
import type { FuzzRequest, IdentityName } from "./fuzz-request.ts";

/** The group of the kinds that the author of definitions adds. */
export const authoredGroup = "fuzz.example.com";

/** The name of the policy that a binding of the world has; its validations only warn. */
export const authoredPolicy = "fuzz-policy";

/** A request whose expressions, patterns or texts may cost more than expected. */
interface Costly {
  readonly identities: readonly IdentityName[];
  readonly path: string;
  /** Makes an object with `count` parts. */
  make(random: SeededRandom, count: number): object;
}

const metadata = { generateName: "fuzz-" };

const costly: readonly Costly[] = [
  {
    identities: ["namespace-editor", "namespace-admin", "namespace-owner"],
    path: "/apis/resource.k8s.io/v1/namespaces/fuzz-mine/resourceclaims",
    make: (random, count) => ({
      apiVersion: "resource.k8s.io/v1",
      kind: "ResourceClaim",
      metadata,
      spec: {
        devices: {
          requests: many(Math.min(32, count), (i) => ({
            name: `r${i}`,
            exactly: { deviceClassName: "fuzz", selectors: selectorsOf(random, Math.min(32, count)) },
          })),
        },
      },
    }),
  },
  {
    identities: ["definition-author"],
    path: "/apis/resource.k8s.io/v1/deviceclasses",
    make: (random, count) => ({
      apiVersion: "resource.k8s.io/v1",
      kind: "DeviceClass",
      metadata,
      spec: { selectors: selectorsOf(random, count) },
    }),
  },
  {
    identities: ["definition-author"],
    path: "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
    make: (random, count) => ({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicy",
      metadata: { name: authoredPolicy },
      spec: {
        failurePolicy: "Ignore",
        matchConstraints: {
          namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "fuzz-mine" } },
          resourceRules: [
            { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["configmaps"] },
          ],
        },
        variables: many(random.integer(3), (i) => ({ name: `v${i}`, expression: truth(random, "object.data.key") })),
        validations: many(count, () => ({ expression: truth(random, "object.data.key") })),
      },
    }),
  },
  {
    identities: ["definition-author"],
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    make: (random, count) => definitionOf(random, count),
  },
  {
    identities: ["definition-author", "none", "namespace-editor"],
    path: `/apis/${authoredGroup}/v1/namespaces/fuzz-mine/lamps`,
    make: (_random, count) => ({
      apiVersion: `${authoredGroup}/v1`,
      kind: "Lamp",
      metadata,
      text: "a".repeat(100 * count),
      texts: many(count, () => "aaaaaaaa"),
    }),
  },
  {
    identities: ["namespace-editor", "namespace-admin"],
    path: "/api/v1/namespaces/fuzz-mine/configmaps",
    make: (_random, count) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata,
      data: { key: "a".repeat(100 * count) },
    }),
  },
];

function definitionOf(random: SeededRandom, count: number): object {
  const rules = () => many(count, () => ({ rule: truth(random, "self.text") }));
  const isOfPatterns = random.integer(2) === 0;
  const text = isOfPatterns ? { type: "string", pattern: patternOf(random, count) } : { type: "string" };
  const others = isOfPatterns
    ? many(count, (i) => [`p${i}`, { type: "string", pattern: patternOf(random, 1 + (count % 7)) }] as const)
    : [];
  const schema = {
    type: "object",
    properties: {
      text,
      texts: {
        type: "array",
        maxItems: 1_000,
        items: {
          type: "string",
          maxLength: 100,
          ...(isOfPatterns ? {} : { "x-kubernetes-validations": [{ rule: truth(random, "self") }] }),
        },
      },
      ...Object.fromEntries(others),
    },
    ...(isOfPatterns ? {} : { "x-kubernetes-validations": rules() }),
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `lamps.${authoredGroup}` },
    spec: {
      group: authoredGroup,
      scope: "Namespaced",
      names: { plural: "lamps", singular: "lamp", kind: "Lamp" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

function selectorsOf(random: SeededRandom, count: number): object[] {
  return many(count, () => ({ cel: { expression: truth(random, "device.driver") } }));
}

function truth(random: SeededRandom, text: string): string {
  return new CelGrammar(random, text).truth(1 + random.integer(5));
}

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Requests that make programs from a user's text, and objects on which these programs run. */
export const costlyRequests: fc.Arbitrary<FuzzRequest> = fc
  .record({
    kind: fc.constantFrom(...costly),
    identity: fc.nat(),
    encoding: fc.constantFrom(...encodings),
    seed: fc.nat(),
    count: fc.constantFrom(1, 1, 1, 3, 3, 32, 300, 1_500),
    isDry: fc.boolean(),
  })
  .map(({ kind, identity, encoding, seed, count, isDry }) => ({
    identity: kind.identities[identity % kind.identities.length] ?? "none",
    protocol: "http/1.1",
    method: "POST",
    path: isDry ? `${kind.path}?dryRun=All` : kind.path,
    ...encodeAs(encoding, kind.make(new SeededRandom(seed), count)),
  }));
