import { z } from "zod";

// The port between controllers and a cloud. A call has one request and returns one answer, so that
// adapters and injected faults are made from one table (`cloudCalls`). Every call may be repeated:
//
//   instances     findInstance, listInstances
//   balancers     ensureLoadBalancer, findLoadBalancer, deleteLoadBalancer
//   routes        listRoutes, ensureRoute, deleteRoute
//   node groups   listNodeGroups, resizeNodeGroup, deleteMachines
//   machines      actOnInstance: a person's action, which no controller calls

const text = z.string().max(512);

const instanceStates = ["pending", "running", "stopped"] as const;

/** A machine of the cloud. */
export const Instance = z.strictObject({
  /** "lab://default/node-1"; never reused for another machine of a node group. */
  providerId: text,
  /** The name of its Node. */
  name: text,
  state: z.enum(instanceStates),
  instanceType: text,
  region: text,
  zone: text,
  /** The first InternalIP is the address of the machine's kubelet. */
  addresses: z.array(z.strictObject({ type: z.enum(["InternalIP", "ExternalIP", "Hostname"]), address: text })).max(16),
  /** The node group that made the machine; absent for machines that people made. */
  group: text.optional(),
});
export type Instance = z.infer<typeof Instance>;

/** Identifies the machine by either name; if both are given, the provider's ID takes precedence. */
const InstanceKey = z.strictObject({ providerId: text.optional(), name: text.optional() });

const port = z.int().min(1).max(65_535);

/** A load balancer as its owner specifies it. */
export const LoadBalancerSpec = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, "a name has lower-case letters, digits and '-' only"),
  /** The object that the load balancer serves, for display: "default/web". */
  description: text,
  /** A fixed address; if absent, the cloud chooses an address. */
  address: z.ipv4().optional(),
  ports: z
    .array(z.strictObject({ protocol: z.enum(["TCP", "UDP", "SCTP"]), port, nodePort: port }))
    .min(1)
    .max(64),
  /** The machines that receive connections, if they pass the health check. */
  targets: z.array(z.strictObject({ name: text, address: z.ipv4() })).max(1000),
  healthCheck: z.strictObject({ port, path: z.string().startsWith("/").max(256) }),
  /** CIDRs of the clients; empty allows all clients. */
  sourceRanges: z.array(z.cidrv4()).max(256),
  /** A client's connections are sent to one target while the target is healthy. */
  sticky: z.boolean(),
  /**
   * Packets arrive at targets with the clients' own addresses. UDP packets always keep these
   * addresses.
   */
  keepsClientAddress: z.boolean().default(false),
});
export type LoadBalancerSpec = z.infer<typeof LoadBalancerSpec>;

export const LoadBalancer = z.strictObject({ spec: LoadBalancerSpec, address: z.ipv4() });
export type LoadBalancer = z.infer<typeof LoadBalancer>;

/** Packets to the range are sent to the machine, from anywhere in the cloud's network. */
export const CloudRoute = z.strictObject({
  /** The addresses of the machine's pods: "10.64.1.0/24". */
  cidr: z.cidrv4(),
  /** The name of the machine. */
  target: text,
  address: z.ipv4(),
});
export type CloudRoute = z.infer<typeof CloudRoute>;

/** The shape of a node group's machines, for a group without machines. */
export const MachineTemplate = z.strictObject({
  instanceType: text,
  zone: text,
  cpuMillicores: z.int().min(1),
  memoryBytes: z.int().min(1),
  podsMax: z.int().min(1),
  labels: z.record(text, text),
  /** "dedicated=database:NoSchedule". */
  taints: z.array(text).max(64),
});
export type MachineTemplate = z.infer<typeof MachineTemplate>;

export const NodeGroup = z.strictObject({
  name: text,
  min: z.int().min(0),
  max: z.int().min(0),
  /** The target number of machines; machines that are being removed do not count. */
  target: z.int().min(0),
  /** A group of a higher priority is chosen first. */
  priority: z.int(),
  template: MachineTemplate,
  /**
   * Provider IDs of its machines, including machines that are being made and excluding machines
   * that are being removed.
   */
  machines: z.array(text),
});
export type NodeGroup = z.infer<typeof NodeGroup>;

const instanceActions = ["stop", "start", "terminate"] as const;

/** Every call: its request and its answer. */
export const cloudCalls = {
  findInstance: { request: InstanceKey, answer: z.strictObject({ instance: Instance.optional() }) },
  listInstances: { request: z.strictObject({}), answer: z.strictObject({ instances: z.array(Instance) }) },
  /** Makes or changes the balancer of that name. */
  ensureLoadBalancer: {
    request: z.strictObject({ spec: LoadBalancerSpec }),
    answer: z.strictObject({ balancer: LoadBalancer }),
  },
  findLoadBalancer: {
    request: z.strictObject({ name: text }),
    answer: z.strictObject({ balancer: LoadBalancer.optional() }),
  },
  /** A balancer that does not exist counts as deleted. */
  deleteLoadBalancer: { request: z.strictObject({ name: text }), answer: z.strictObject({}) },
  listRoutes: { request: z.strictObject({}), answer: z.strictObject({ routes: z.array(CloudRoute) }) },
  /** Makes the route, or changes the machine of the route's range. */
  ensureRoute: { request: z.strictObject({ route: CloudRoute }), answer: z.strictObject({}) },
  /** A route that does not exist, or that now targets another machine, counts as deleted. */
  deleteRoute: { request: z.strictObject({ cidr: text, target: text }), answer: z.strictObject({}) },
  listNodeGroups: { request: z.strictObject({}), answer: z.strictObject({ groups: z.array(NodeGroup) }) },
  /**
   * Sets the target, conditional on the present target, so that a lost answer does not lead to a
   * second change: the repeated call is rejected with Conflict.
   */
  resizeNodeGroup: {
    request: z.strictObject({ group: text, from: z.int().min(0), to: z.int().min(0) }),
    answer: z.strictObject({ group: NodeGroup }),
  },
  /**
   * Removes these machines and lowers the target by their number; a machine that no longer exists
   * is not counted.
   */
  deleteMachines: {
    request: z.strictObject({ group: text, providerIds: z.array(text).max(1000) }),
    answer: z.strictObject({ group: NodeGroup }),
  },
  actOnInstance: {
    request: z.strictObject({ name: text, action: z.enum(instanceActions) }),
    answer: z.strictObject({}),
  },
} as const;

export type CloudCallName = keyof typeof cloudCalls;
export const cloudCallNames = Object.keys(cloudCalls) as CloudCallName[];

export type CloudRequest<Name extends CloudCallName> = z.infer<(typeof cloudCalls)[Name]["request"]>;
export type CloudAnswer<Name extends CloudCallName> = z.infer<(typeof cloudCalls)[Name]["answer"]>;

/** A cloud, in the view of controllers. Every call throws CloudError. */
export type CloudProvider = {
  readonly [Name in CloudCallName]: (request: CloudRequest<Name>, signal?: AbortSignal) => Promise<CloudAnswer<Name>>;
};
