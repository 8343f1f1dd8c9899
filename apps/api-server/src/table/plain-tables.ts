import type {
  ApiObject,
  ConfigMap,
  Lease,
  Namespace,
  PriorityClass,
  RoleBinding,
  Secret,
  ServiceAccount,
  Subject,
} from "@kintsugi/api";
import { formatAge } from "./cells.ts";
import { ageColumn, column, integerColumn, type KindTable, nameColumn, wide } from "./columns.ts";

export const namespaceTable: KindTable<Namespace> = {
  columns: [nameColumn, column("Status", "The status of the namespace"), ageColumn],
  cells: (namespace, nowMs) => [
    namespace.metadata.name ?? "",
    namespace.status?.phase ?? "",
    formatAge(namespace, nowMs),
  ],
};

export const configMapTable: KindTable<ConfigMap> = {
  columns: [nameColumn, column("Data", "How many entries there are."), ageColumn],
  cells: (configMap, nowMs) => [
    configMap.metadata.name ?? "",
    count(configMap.data) + count(configMap.binaryData),
    formatAge(configMap, nowMs),
  ],
};

export const secretTable: KindTable<Secret> = {
  columns: [
    nameColumn,
    column("Type", "What the secret is for."),
    column("Data", "How many entries there are."),
    ageColumn,
  ],
  cells: (secret, nowMs) => [
    secret.metadata.name ?? "",
    secret.type ?? "",
    count(secret.data),
    formatAge(secret, nowMs),
  ],
};

export const serviceAccountTable: KindTable<ServiceAccount> = {
  columns: [nameColumn, column("Secrets", "How many secrets its pods may use."), ageColumn],
  cells: (account, nowMs) => [account.metadata.name ?? "", (account.secrets ?? []).length, formatAge(account, nowMs)],
};

export const leaseTable: KindTable<Lease> = {
  columns: [nameColumn, column("Holder", "Who holds the lease."), ageColumn],
  cells: (lease, nowMs) => [lease.metadata.name ?? "", lease.spec?.holderIdentity ?? "", formatAge(lease, nowMs)],
};

export const priorityClassTable: KindTable<PriorityClass> = {
  columns: [
    nameColumn,
    integerColumn("Value", "The priority of its pods."),
    { ...column("Global-Default", "Whether pods that name no class have this one."), type: "boolean" },
    ageColumn,
    column("PreemptionPolicy", "Whether its pods may take the place of less important ones."),
  ],
  cells: (priorityClass, nowMs) => [
    priorityClass.metadata.name ?? "",
    priorityClass.value ?? 0,
    priorityClass.globalDefault ?? false,
    formatAge(priorityClass, nowMs),
    priorityClass.preemptionPolicy ?? "",
  ],
};

/** RoleBinding and ClusterRoleBinding. */
export const roleBindingTable: KindTable<RoleBinding> = {
  columns: [
    nameColumn,
    column("Role", "The role that is given."),
    ageColumn,
    wide(column("Users", "Users that have the role.")),
    wide(column("Groups", "Groups that have the role.")),
    wide(column("ServiceAccounts", "ServiceAccounts that have the role.")),
  ],
  cells(binding, nowMs) {
    const subjects = (kind: string, format: (subject: Subject) => string) =>
      (binding.subjects ?? [])
        .filter((subject) => subject.kind === kind)
        .map(format)
        .join(", ");
    return [
      binding.metadata.name ?? "",
      `${binding.roleRef.kind}/${binding.roleRef.name}`,
      formatAge(binding, nowMs),
      subjects("User", ({ name }) => name),
      subjects("Group", ({ name }) => name),
      subjects("ServiceAccount", ({ namespace, name }) => `${namespace ?? ""}/${name}`),
    ];
  },
};

/** Every kind that upstream has no printer for, roles among them. */
export const defaultTable: KindTable<ApiObject> = {
  columns: [nameColumn, { ...column("Created At", "When the object was created."), type: "date" }],
  cells: ({ metadata }) => [metadata.name ?? "", metadata.creationTimestamp ?? ""],
};

function count(entries: Readonly<Record<string, string>> | undefined): number {
  return Object.keys(entries ?? {}).length;
}
