import { expect, test } from "vitest";
import { podKind } from "../../../../index.ts";
import { aPod, container } from "../../../../validation/testing/a-pod.ts";
import { validateCreate } from "../../../../validation/validate.ts";

const volumes = [
  { name: "config", emptyDir: {} },
  { name: "secret", secret: { secretName: "s" } },
];

function faultsOf(fileKeyRef: object): string[] {
  const containers = [{ ...container, env: [{ name: "A", valueFrom: { fileKeyRef } }] }];
  return validateCreate(podKind, aPod({ volumes, containers })).map(({ field, message }) => {
    const place = field.replace("spec.containers[0].env[0].valueFrom.fileKeyRef.", "");
    return `${place}: ${message}`;
  });
}

const good = { volumeName: "config", path: "app/config.env", key: "A_KEY" };

test("a file of an emptyDir has variables", () => {
  expect(faultsOf(good)).toEqual([]);
});

test.each<[object, string]>([
  [{ key: "" }, "key: Required value"],
  [{ key: "a=b" }, "key: Invalid value"],
  [{ key: "a".repeat(129) }, "key: Too long"],
  [{ path: "" }, "path: Required value"],
  [{ path: "/etc/passwd" }, 'path: Invalid value: "/etc/passwd": must be a relative path'],
  [{ path: "../x" }, "path: Invalid value: \"../x\": must not contain '..'"],
  [{ volumeName: "" }, "volumeName: Required value"],
  [{ volumeName: "other" }, 'volumeName: Not found: "other"'],
  [{ volumeName: "secret" }, 'volumeName: Invalid value: "secret": referenced volume must be of type emptyDir'],
])("%j is rejected: %s", (change, fault) => {
  expect(faultsOf({ ...good, ...change })).toEqual([expect.stringContaining(fault)]);
});

test.each<[object, string[]]>([
  [{ hostnameOverride: "a.b" }, []],
  [{ hostnameOverride: "A_B" }, ["spec.hostnameOverride: Invalid value"]],
  [{ hostnameOverride: "a".repeat(65) }, ["spec.hostnameOverride: Too long"]],
  [
    { hostnameOverride: "a", hostNetwork: true },
    ["spec.hostnameOverride: Forbidden: may not be specified when hostNetwork is true"],
  ],
  [
    { hostnameOverride: "a", setHostnameAsFQDN: true },
    ["spec.hostnameOverride: Forbidden: may not be specified when setHostnameAsFQDN is true"],
  ],
])("a hostname of %j is validated", (spec, faults) => {
  const found = validateCreate(podKind, aPod(spec)).map(({ field, message }) => `${field}: ${message}`);
  expect(found).toEqual(faults.map((fault) => expect.stringContaining(fault)));
});
