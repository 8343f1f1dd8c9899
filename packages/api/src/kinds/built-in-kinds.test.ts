import { expect, test } from "vitest";
import { builtInKinds } from "./built-in-kinds.ts";

// kube-apiserver 1.33 serves these without any flags.
const upstream: Readonly<Record<string, string>> = {
  v1: "bindings componentstatuses configmaps endpoints events limitranges namespaces nodes persistentvolumeclaims persistentvolumes pods podtemplates replicationcontrollers resourcequotas secrets serviceaccounts services",
  "admissionregistration.k8s.io/v1":
    "mutatingwebhookconfigurations validatingadmissionpolicies validatingadmissionpolicybindings validatingwebhookconfigurations",
  "apiextensions.k8s.io/v1": "customresourcedefinitions",
  "apiregistration.k8s.io/v1": "apiservices",
  "apps/v1": "controllerrevisions daemonsets deployments replicasets statefulsets",
  "authentication.k8s.io/v1": "selfsubjectreviews tokenreviews",
  "authorization.k8s.io/v1":
    "localsubjectaccessreviews selfsubjectaccessreviews selfsubjectrulesreviews subjectaccessreviews",
  "autoscaling/v1": "horizontalpodautoscalers",
  "autoscaling/v2": "horizontalpodautoscalers",
  "batch/v1": "cronjobs jobs",
  "certificates.k8s.io/v1": "certificatesigningrequests",
  "coordination.k8s.io/v1": "leases",
  "discovery.k8s.io/v1": "endpointslices",
  "events.k8s.io/v1": "events",
  "flowcontrol.apiserver.k8s.io/v1": "flowschemas prioritylevelconfigurations",
  "networking.k8s.io/v1": "ingressclasses ingresses ipaddresses networkpolicies servicecidrs",
  "node.k8s.io/v1": "runtimeclasses",
  "policy/v1": "poddisruptionbudgets",
  "rbac.authorization.k8s.io/v1": "clusterrolebindings clusterroles rolebindings roles",
  "scheduling.k8s.io/v1": "priorityclasses",
  "storage.k8s.io/v1": "csidrivers csinodes csistoragecapacities storageclasses volumeattachments",
};

// Upstream serves these only with --runtime-config, or in later versions.
const later = new Set([
  "admissionregistration.k8s.io/v1 mutatingadmissionpolicies",
  "admissionregistration.k8s.io/v1 mutatingadmissionpolicybindings",
  "admissionregistration.k8s.io/v1alpha1 mutatingadmissionpolicies",
  "admissionregistration.k8s.io/v1alpha1 mutatingadmissionpolicybindings",
  "admissionregistration.k8s.io/v1beta1 mutatingadmissionpolicies",
  "admissionregistration.k8s.io/v1beta1 mutatingadmissionpolicybindings",
  "authentication.k8s.io/v1beta1 selfsubjectreviews",
  "certificates.k8s.io/v1alpha1 clustertrustbundles",
  "certificates.k8s.io/v1beta1 clustertrustbundles",
  "coordination.k8s.io/v1alpha2 leasecandidates",
  "coordination.k8s.io/v1beta1 leasecandidates",
  "networking.k8s.io/v1beta1 ipaddresses",
  "networking.k8s.io/v1beta1 servicecidrs",
  ...["v1", "v1beta2"].flatMap((version) =>
    ["deviceclasses", "resourceclaims", "resourceclaimtemplates", "resourceslices"].map(
      (resource) => `resource.k8s.io/${version} ${resource}`,
    ),
  ),
  "storage.k8s.io/v1 volumeattributesclasses",
  "storage.k8s.io/v1beta1 volumeattributesclasses",
]);

const served = new Set(
  builtInKinds.map(
    ({ type: { group, version, resource } }) => `${group === "" ? "" : `${group}/`}${version} ${resource}`,
  ),
);
const expected = Object.entries(upstream).flatMap(([version, resources]) =>
  resources.split(" ").map((resource) => `${version} ${resource}`),
);

test("every kind that Kubernetes 1.33 serves by default is served", () => {
  expect(expected.filter((name) => !served.has(name))).toEqual([]);
});

test("additional served kinds are listed", () => {
  expect(new Set([...served].filter((name) => !expected.includes(name)))).toEqual(later);
});
