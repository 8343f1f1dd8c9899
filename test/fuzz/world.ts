import { clusterRoleBindings, clusterRoles, namespaces, nodes, roleBindings, serviceAccounts } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { readIdentity } from "@kintsugi/lab";
import type { ApiServerProcess } from "../support/servers/api-server-process.ts";
import type { Canary } from "./checks.ts";
import { examples } from "./examples.ts";
import { authoredGroup, authoredPolicy } from "./grammar/costly.ts";
import { identities, type IdentityName } from "./grammar/fuzz-request.ts";
import type { ApiRoute } from "./grammar/routes.ts";
import type { Credentials } from "./target.ts";

/** The namespace whose admin sends requests. */
export const mine = "fuzz-mine";
/** The namespace that only the cluster's admin may read. */
export const theirs = "fuzz-theirs";

/**
 * The namespace of the identities' own accounts, because an admin may delete the accounts of its
 * namespace, which would lock the identities out.
 */
const home = "fuzz-home";

/** Objects that identities may read, and objects that they may not. */
export interface World {
  readonly credentials: Readonly<Record<IdentityName, Credentials>>;
  readonly canaries: readonly Canary[];
}

const secretCanary = "canary-secret-7f3a91c2e5d8";
const objectCanary = "canary-object-b4e06d1f92a7";

export async function makeWorld(server: ApiServerProcess, routes: readonly ApiRoute[]): Promise<World> {
  const { client } = server;
  for (const name of [mine, theirs, home]) await ensure(client.create(namespaces, { metadata: { name } } as never));
  for (const name of ["node-1", "node-2"]) await ensure(client.create(nodes, { metadata: { name } } as never));
  await ensure(client.create(clusterRoles, ownerRole(routes) as never));
  await ensure(client.create(clusterRoles, authorRole as never));
  await ensure(client.create(clusterRoleBindings, authorBinding as never));
  for (const name of ["powerless", "editor", "admin", "owner", "author"])
    await ensure(client.create(serviceAccounts, { metadata: { name, namespace: home } } as never));
  await fill(client, routes);
  return {
    credentials: {
      none: {},
      powerless: { token: await tokenOf(client, home, "powerless") },
      "namespace-editor": { token: await tokenOf(client, home, "editor") },
      "namespace-admin": { token: await tokenOf(client, home, "admin") },
      "namespace-owner": { token: await tokenOf(client, home, "owner") },
      "definition-author": { token: await tokenOf(client, home, "author") },
      node: await readIdentity(server.pki, "node-1"),
    },
    canaries: [
      { text: secretCanary, hiddenFrom: identities },
      { text: objectCanary, hiddenFrom: identities.filter((identity) => identity !== "node") },
    ],
  };
}

/**
 * Makes objects for the requests, by the name "fixture", in both namespaces; the objects in the
 * hidden namespace have the canaries.
 */
async function fill(client: Client, routes: readonly ApiRoute[]): Promise<void> {
  await ensure(client.call({ method: "POST", path: policyBindings, body: policyBinding }));
  for (const [account, role] of [
    ["editor", "edit"],
    ["admin", "admin"],
    ["owner", ownerRoleName],
  ]) {
    const binding = {
      metadata: { name: account, namespace: mine },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
      subjects: [{ kind: "ServiceAccount", name: account, namespace: home }],
    };
    await ensure(client.create(roleBindings, binding as never));
  }
  for (const namespace of [mine, theirs]) {
    for (const name of ["default", "fixture"])
      await ensure(client.create(serviceAccounts, { metadata: { name, namespace } } as never));
    for (const example of examples) {
      const route = routes.find(
        ({ body, subresource }) => body === `${example.apiVersion} ${example.kind}` && subresource === "",
      );
      if (route === undefined) continue;
      const path = `${pathOf(route)}/namespaces/${namespace}/${route.resource}`;
      await ensure(client.call({ method: "POST", path, body: namespace === theirs ? hide(example) : example }));
    }
  }
}

const ownerRoleName = "fuzz-owner";
const authorName = "fuzz-author";
const policyBindings = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";

/** The policy evaluates objects of the other identities. Its faults are warnings. */
const policyBinding = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicyBinding",
  metadata: { name: "fixture" },
  spec: { policyName: authoredPolicy, validationActions: ["Warn"] },
};

/**
 * The rights of an author of kinds, policies and device classes, whose programs other users run.
 */
const authorRole = {
  metadata: { name: authorName },
  rules: [
    { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["*"] },
    {
      apiGroups: ["admissionregistration.k8s.io"],
      resources: ["validatingadmissionpolicies"],
      verbs: ["*"],
    },
    { apiGroups: ["resource.k8s.io"], resources: ["deviceclasses"], verbs: ["*"] },
    { apiGroups: [authoredGroup], resources: ["*"], verbs: ["*"] },
  ],
};
const authorBinding = {
  metadata: { name: authorName },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: authorName },
  subjects: [{ kind: "ServiceAccount", name: "author", namespace: home }],
};

/** Cluster-scoped collections whose objects are the author's, or temporary. */
const passing: ReadonlySet<string> = new Set([
  "certificatesigningrequests",
  "customresourcedefinitions",
  "validatingadmissionpolicies",
  "deviceclasses",
]);

/**
 * Every right on namespaced objects, including statuses and bindings, so that more requests pass
 * authorization. The namespace itself is excluded, because it would not be created again.
 */
function ownerRole(routes: readonly ApiRoute[]): object {
  const inside = routes.filter(({ namespaced }) => namespaced);
  const groups = [...new Set(inside.map(({ group }) => group))];
  const resourcesOf = (group: string) =>
    inside
      .filter((route) => route.group === group)
      .map(({ resource, subresource }) => (subresource === "" ? resource : `${resource}/${subresource}`));
  return {
    metadata: { name: ownerRoleName },
    rules: groups.map((group) => ({ apiGroups: [group], resources: [...new Set(resourcesOf(group))], verbs: ["*"] })),
  };
}

/** Adds canaries where the object has room for them; pods belong to another node. */
function hide(example: (typeof examples)[number]): object {
  const { kind, metadata, ...rest } = example;
  if (kind === "Secret")
    return { kind, metadata, ...rest, data: { key: Buffer.from(secretCanary).toString("base64") } };
  const hidden = { kind, metadata: { ...metadata, annotations: { note: objectCanary } }, ...rest };
  if (kind === "ConfigMap") return { ...hidden, data: { key: secretCanary } };
  return kind === "Pod" ? { ...hidden, spec: { ...(rest["spec"] as object), nodeName: "node-2" } } : hidden;
}

function pathOf({ group, version }: ApiRoute): string {
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
}

/**
 * Deletes the objects that requests have created, so that a long run does not measure the number of
 * stored objects, and makes the fixtures again.
 */
export async function tidy(client: Client, routes: readonly ApiRoute[]): Promise<void> {
  const collections = routes.filter(({ verbs, namespaced, resource }) => {
    return verbs.includes("deletecollection") && (namespaced || passing.has(resource));
  });
  for (const route of collections) {
    const { resource, namespaced } = route;
    const path = `${pathOf(route)}${namespaced ? `/namespaces/${mine}` : ""}/${resource}?gracePeriodSeconds=0`;
    await client.call({ method: "DELETE", path }).catch(() => undefined);
  }
  await fill(client, routes);
}

/**
 * Everything that the identities may not change, as a text: Secrets, and everything in the hidden
 * namespace.
 */
export async function hiddenState(client: Client, routes: readonly ApiRoute[]): Promise<string> {
  const lines: string[] = [];
  for (const route of routes) {
    const { group, resource, namespaced, subresource, verbs } = route;
    if (!namespaced || subresource !== "" || !verbs.includes("list") || resource === "events") continue;
    for (const namespace of [theirs, home, "kube-system"]) {
      const list = (await client.call({
        method: "GET",
        path: `${pathOf(route)}/namespaces/${namespace}/${resource}`,
      })) as {
        items: { metadata: { uid: string; name: string; resourceVersion: string } }[];
      };
      for (const { metadata } of list.items)
        lines.push(`${group}/${resource} ${namespace}/${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`);
    }
  }
  return lines.toSorted((a, b) => (a < b ? -1 : 1)).join("\n");
}

async function tokenOf(client: Client, namespace: string, name: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 7200 } };
  const answer = (await client.call({ method: "POST", path, body })) as { status: { token: string } };
  return answer.status.token;
}

/** An existing fixture is used as well. */
function ensure(created: Promise<unknown>): Promise<unknown> {
  return created.catch((error: unknown) => {
    if ((error as { reason?: string }).reason !== "AlreadyExists") throw error;
  });
}
