import { describe, expect, test } from "vitest";
import { podKind } from "../../../../index.ts";
import { aPod, container } from "../../../../validation/testing/a-pod.ts";
import { validateCreate, validateUpdate } from "../../../../validation/validate.ts";

function faultsOf(spec: object): string[] {
  return validateCreate(podKind, aPod(spec)).map(({ field, message }) => `${field.replace("spec.", "")}: ${message}`);
}

const withContainer = (more: object) => ({ containers: [{ ...container, ...more }] });

describe("volumes", () => {
  test.each<[string, object, string[]]>([
    ["a secret without a name", { name: "v", secret: {} }, ["volumes[0].secret.secretName: Required value"]],
    [
      "a file outside its volume",
      { name: "v", configMap: { name: "c", items: [{ key: "a", path: "../b" }] } },
      ["volumes[0].configMap.items[0].path: Invalid value: \"../b\": must not contain '..'"],
    ],
    [
      "a file with a name that the kubelet reserves",
      { name: "v", secret: { secretName: "s", items: [{ key: "a", path: "..data" }] } },
      ["volumes[0].secret.items[0].path: Invalid value: \"..data\": must not start with '..'"],
    ],
    [
      "an invalid mode",
      { name: "v", secret: { secretName: "s", defaultMode: 512 } },
      [
        "volumes[0].secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive",
      ],
    ],
    [
      "a file without a source",
      { name: "v", downwardAPI: { items: [{ path: "a" }] } },
      ["volumes[0].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required"],
    ],
    [
      "a file of a container that is not named",
      { name: "v", downwardAPI: { items: [{ path: "a", resourceFieldRef: { resource: "limits.cpu" } }] } },
      ["volumes[0].downwardAPI.resourceFieldRef.containerName: Required value"],
    ],
    [
      "a field that files cannot show",
      { name: "v", downwardAPI: { items: [{ path: "a", fieldRef: { fieldPath: "status.podIP" } }] } },
      [
        'volumes[0].downwardAPI.fieldRef.fieldPath: Unsupported value: "status.podIP": supported values: "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"',
      ],
    ],
    [
      "two sources that write the same file",
      {
        name: "v",
        projected: {
          sources: [
            { secret: { name: "s", items: [{ key: "a", path: "f" }] } },
            { configMap: { name: "c", items: [{ key: "a", path: "f" }] } },
          ],
        },
      },
      ['volumes[0].projected.sources[1]: Invalid value: "f": conflicting duplicate paths'],
    ],
    [
      "a source of two kinds",
      { name: "v", projected: { sources: [{ secret: { name: "s" }, configMap: { name: "c" } }] } },
      ["volumes[0].projected.sources[0].configMap: Forbidden: may not specify more than 1 volume type per source"],
    ],
    [
      "an unknown type of host path",
      { name: "v", hostPath: { path: "/x", type: "Door" } },
      [
        'volumes[0].hostPath.type: Unsupported value: "Door": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
      ],
    ],
    [
      "a relative NFS path",
      { name: "v", nfs: { server: "s", path: "x" } },
      ['volumes[0].nfs.path: Invalid value: "x": must be an absolute path'],
    ],
    [
      "a name with dots",
      { name: "a.b" },
      [
        "volumes[0].name: Invalid value: \"a.b\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      ],
    ],
  ])("%s", (_what, volume, expected) => {
    expect(faultsOf({ volumes: [volume] })).toEqual(expected);
  });

  test("raw devices are allowed only from claims", () => {
    const spec = {
      volumes: [{ name: "v", emptyDir: {} }],
      ...withContainer({ volumeDevices: [{ name: "v", devicePath: "/dev/../x" }] }),
    };
    expect(faultsOf(spec)).toEqual([
      'containers[0].volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
      "containers[0].volumeDevices[0].devicePath: Invalid value: \"/dev/../x\": can not contain backsteps ('..')",
    ]);
  });

  test("bidirectional mounts are allowed only in privileged containers", () => {
    const volumeMounts = [{ name: "v", mountPath: "/x", mountPropagation: "Bidirectional" }];
    const spec = (securityContext: object) => ({
      volumes: [{ name: "v", emptyDir: {} }],
      ...withContainer({ volumeMounts, securityContext }),
    });
    expect(faultsOf(spec({}))).toEqual([
      "containers[0].volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers",
    ]);
    expect(faultsOf(spec({ privileged: true }))).toEqual([]);
  });
});

describe("where a pod may run", () => {
  const affinity = (terms: object) => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
  });
  const path = "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  const expression = (requirement: object) =>
    affinity({ nodeSelectorTerms: [{ matchExpressions: [{ key: "k", ...requirement }] }] });
  test.each<[string, object, string[]]>([
    ["no term", affinity({}), [`${path}: Required value: must have at least one node selector term`]],
    [
      "In without values",
      expression({ operator: "In" }),
      [`${path}[0].matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`],
    ],
    [
      "Exists with values",
      expression({ operator: "Exists", values: ["a"] }),
      [
        `${path}[0].matchExpressions[0].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
      ],
    ],
    [
      "more than two numbers",
      expression({ operator: "Gt", values: ["1", "2"] }),
      [
        `${path}[0].matchExpressions[0].values: Required value: must be specified single value when \`operator\` is 'Lt' or 'Gt'`,
      ],
    ],
    [
      "an unknown operator",
      expression({ operator: "Near" }),
      [`${path}[0].matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator`],
    ],
    [
      "a field that nodes are not selected by",
      affinity({ nodeSelectorTerms: [{ matchFields: [{ key: "spec.x", operator: "In", values: ["a"] }] }] }),
      [`${path}[0].matchFields[0].key: Invalid value: "spec.x": not a valid field selector key`],
    ],
    [
      "a weight out of range",
      {
        affinity: {
          podAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 101, podAffinityTerm: { topologyKey: "zone" } },
            ],
          },
        },
      },
      [
        "affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100",
      ],
    ],
    [
      "neighbors without a topology key",
      {
        affinity: {
          podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: {}, topologyKey: "" }] },
        },
      },
      [
        "affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: can not be empty",
        'affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "": name part must be non-empty',
        "affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ],
    ],
    [
      "a spread with a maximum skew of zero",
      {
        topologySpreadConstraints: [
          { maxSkew: 0, topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway", minDomains: 2 },
        ],
      },
      [
        "topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than 0",
        "topologySpreadConstraints[0].minDomains: Invalid value: 2: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway",
      ],
    ],
    [
      "a duplicate spread",
      {
        topologySpreadConstraints: [1, 2].map((maxSkew) => ({
          maxSkew,
          topologyKey: "zone",
          whenUnsatisfiable: "DoNotSchedule",
        })),
      },
      ['topologySpreadConstraints[1].{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, DoNotSchedule}"'],
    ],
    [
      "a duplicate gate",
      { schedulingGates: [{ name: "a" }, { name: "a" }] },
      ['schedulingGates[1]: Duplicate value: "a"'],
    ],
    [
      "a resource claim with both a claim and a template",
      { resourceClaims: [{ name: "a", resourceClaimName: "b", resourceClaimTemplateName: "c" }] },
      [
        'resourceClaims[0]: Invalid value: {"name":"a","resourceClaimName":"b","resourceClaimTemplateName":"c"}: at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
      ],
    ],
  ])("%s", (_what, spec, expected) => {
    expect(faultsOf(spec)).toEqual(expected);
  });
});

describe("the user of a pod", () => {
  test.each<[string, object, string[]]>([
    [
      "a profile that is not named",
      withContainer({ securityContext: { seccompProfile: { type: "Localhost" } } }),
      [
        "containers[0].securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost",
      ],
    ],
    [
      "a profile outside of the node's directory of profiles",
      {
        ...withContainer({ securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "a/../../b" } } }),
        securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "/etc/shadow" } },
      },
      [
        "containers[0].securityContext.seccompProfile.localhostProfile: Invalid value: \"a/../../b\": must not contain '..'",
        'securityContext.seccompProfile.localhostProfile: Invalid value: "/etc/shadow": must be a relative path',
      ],
    ],
    [
      "a profile without its type",
      { securityContext: { appArmorProfile: { type: "RuntimeDefault", localhostProfile: "x" } } },
      [
        'securityContext.appArmorProfile.localhostProfile: Invalid value: "x": can only be set when AppArmor type is Localhost',
      ],
    ],
    [
      "privileged without privilege escalation",
      withContainer({ securityContext: { privileged: true, allowPrivilegeEscalation: false } }),
      [
        'containers[0].securityContext: Invalid value: {"privileged":true,"allowPrivilegeEscalation":false}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
      ],
    ],
    [
      "an escalation by a capability, in the spelling that upstream compares with",
      withContainer({ securityContext: { allowPrivilegeEscalation: false, capabilities: { add: ["CAP_SYS_ADMIN"] } } }),
      [
        'containers[0].securityContext: Invalid value: {"allowPrivilegeEscalation":false,"capabilities":{"add":["CAP_SYS_ADMIN"]}}: cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
      ],
    ],
    [
      "no escalation by SYS_ADMIN, as upstream",
      withContainer({ securityContext: { allowPrivilegeEscalation: false, capabilities: { add: ["SYS_ADMIN"] } } }),
      [],
    ],
    [
      "a kernel setting of the node's network",
      { hostNetwork: true, securityContext: { sysctls: [{ name: "net.core.somaxconn", value: "1" }] } },
      [
        "securityContext.sysctls[0].name: Invalid value: \"net.core.somaxconn\": may not be specified when 'hostNetwork' is true",
      ],
    ],
    [
      "its own processes and the node's",
      { hostPID: true, shareProcessNamespace: true },
      ["shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled"],
    ],
  ])("%s", (_what, spec, expected) => {
    expect(faultsOf(spec)).toEqual(expected);
  });
});

describe("restart rules", () => {
  const rules = (restartPolicyRules: object[]) => withContainer({ restartPolicy: "Never", restartPolicyRules });
  test.each<[string, object[], string[]]>([
    ["name exit codes", [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }], []],
    [
      "need them",
      [{ action: "Restart" }],
      ["containers[0].restartPolicyRules[0].exitCodes: Required value: must be specified"],
    ],
    [
      "have known actions",
      [{ action: "Sing", exitCodes: { operator: "In", values: [1] } }],
      [
        'containers[0].restartPolicyRules[0].action: Unsupported value: "Sing": supported values: "Restart", "RestartAllContainers"',
      ],
    ],
    [
      "name each code once",
      [{ action: "Restart", exitCodes: { operator: "In", values: [1, 1] } }],
      ["containers[0].restartPolicyRules[0].exitCodes.values[1]: Duplicate value: 1"],
    ],
  ])("%s", (_what, list, expected) => {
    expect(faultsOf(rules(list))).toEqual(expected);
  });
});

describe("a gated pod's node selection may be narrowed", () => {
  const term = (...values: string[]) => ({ matchExpressions: values.map((key) => ({ key, operator: "Exists" })) });
  const near = (...terms: object[]) => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
  });
  const gates = { schedulingGates: [{ name: "example.com/wait" }] };
  const change = (before: object, after: object): string[] => {
    const pod = (spec: object) => aPod({ ...gates, ...spec }, { resourceVersion: "1" });
    return validateUpdate(podKind, { before: pod(before), after: pod(after) }).map(({ message }) => message);
  };

  test("by more labels and more requirements", () => {
    expect(change({}, near(term("a")))).toEqual([]);
    expect(change(near(term("a")), near(term("a", "b")))).toEqual([]);
    expect(change({ nodeSelector: { a: "b" } }, { nodeSelector: { a: "b", c: "d" } })).toEqual([]);
  });

  test("and never widened", () => {
    expect(change({ nodeSelector: { a: "b" } }, { nodeSelector: {} })).toEqual([
      "Invalid value: {}: only additions to spec.nodeSelector are allowed (no mutations or deletions)",
    ]);
    expect(change(near(term("a")), near(term("b")))[0]).toMatch(
      "only additions are allowed (no mutations or deletions)",
    );
    expect(change(near(term("a")), near(term("a"), term("b")))[0]).toMatch(
      "no additions/deletions to non-empty NodeSelectorTerms list are allowed",
    );
  });
});
